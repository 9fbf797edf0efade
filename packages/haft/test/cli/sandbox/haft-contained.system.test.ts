import { execFileSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { chmod, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { isSkipped } from "../../../../host/test/sandbox/support.ts";
import { converse, haft, haftHere } from "../../support/haft.ts";

/** A project with a repository, and beside it a policy that wants commands contained. */
async function project(name = "project", exec: object = { preset: "contained" }) {
  const folder = realpathSync(await temporaryFolder());
  const cwd = join(folder, name);
  await mkdir(cwd);
  const file = join(folder, "policy.json");
  await writeFile(file, JSON.stringify({ exec }));
  execFileSync("git", ["init", "-q"], { cwd });
  return { cwd, folder, policy: ["--policy", file] };
}

/** A PATH without bubblewrap, or with a script of that name. */
async function pathWith(folder: string, bwrap?: string) {
  const path = join(folder, "bin");
  await mkdir(path);
  for (const name of ["sh", "unshare", "nsenter", "mount", "git"]) {
    const found = execFileSync("which", [name], { encoding: "utf8" }).trim();
    await symlink(realpathSync(found), join(path, name));
  }
  if (bwrap !== undefined) {
    await writeFile(join(path, "bwrap"), `#!/bin/sh\n${bwrap}\n`);
    await chmod(join(path, "bwrap"), 0o755);
  }
  return { PATH: path };
}

/** A program that takes this system for another one: all that decides what can contain asks for its name. */
async function asOnMac(folder: string) {
  const file = join(folder, "as-on-mac.mjs");
  await writeFile(file, 'Object.defineProperty(process, "platform", { value: "darwin" });');
  return { NODE_OPTIONS: `--import=${file}` };
}

describe("without a way to contain commands", () => {
  test("tools prints the reason, a fix and the rules that apply instead, without bubblewrap", async () => {
    const { cwd, folder, policy } = await project();
    const { code, stdout } = await haft(["tools", ...policy], { cwd, env: await pathWith(folder) });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /Commands are not contained, though .*exec\.preset wants it: they run as you, with all your rights\. So lists of commands decide/,
    );
    expect(stdout).toMatch(/bwrap is not installed.*Install the package bubblewrap/);
  });

  test.for([
    ["without bubblewrap", /bwrap is not installed/, (folder: string) => pathWith(folder)],
    ["on macOS", /Linux namespaces, and this system is darwin/, asOnMac],
  ] as const)(
    "%s the list decides, and other commands need approval before they run",
    async ([, why, envOf]) => {
      const { cwd, folder, policy } = await project();
      const lines = ["touch made", "pwd"].map((command) =>
        JSON.stringify({ name: "exec", arguments: { command } }),
      );
      const input = `${lines.join("\n")}\n`;
      const run = await haft(["run", "--json", ...policy], { cwd, env: await envOf(folder), input });
      const [pending, harmless, ...others] = run.lines();
      expect(pending).toMatchObject({ kind: "pending" });
      expect(pending.content[0].text).toContain("nothing contains commands here, so the list decides");
      expect(harmless).toMatchObject({ kind: "ok" });
      expect(others).toEqual([]);
      expect(run.stderr).toMatch(
        /The policy requests contained commands .*exec\.preset.*, but this machine cannot contain them/,
      );
      expect(run.stderr).toMatch(why);
      expect(existsSync(join(cwd, "made"))).toBe(false);
    },
  );

  test("doctor reports forbidden namespaces, and fails", async () => {
    const { cwd, folder } = await project();
    const forbidden = 'echo "bwrap: No permissions to create new namespace" >&2; exit 1';
    const env = await pathWith(folder, forbidden);
    const { code, stdout } = await haft(["sandbox", "doctor", "contained"], { cwd, env });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Commands on the host cannot be contained\./);
    expect(stdout).toMatch(/because +.*namespace/);
    expect(stdout).toMatch(/to have it +\S/);
    expect(stdout).not.toContain("network none");
  });
});

test("explain and tools report that containment is not configured", async () => {
  const cwd = await temporaryFolder();
  const { code, stdout } = await haftHere(["sandbox", "explain", "contained"], { cwd });
  expect(code).toBe(1);
  expect(stdout).toMatch(/would not be contained\.\n\n +because +No layer of the policy wants/);
  expect((await haftHere(["tools"], { cwd })).stdout).toContain(
    "Commands are not contained: they run as you, with all your rights",
  );
  const json = await haftHere(["tools", "--json"], { cwd });
  expect(json.lines()[0].containment).toMatchObject({ contained: false });
});

test("a session in a sandbox contains no commands of its own", async () => {
  const { cwd, policy } = await project();
  const args = ["sandbox", "explain", "contained", "--session", "sandboxed", ...policy];
  const { code, stdout } = await haftHere(args, { cwd });
  expect(code).toBe(1);
  expect(stdout).toContain("works in a sandbox");
});

describe.skipIf(isSkipped)("with bubblewrap", () => {
  const named = 'two words, a "quote"\nand a line';

  test("doctor prints the program, its restrictions, the networks and git", async () => {
    const cwd = await temporaryFolder();
    const run = await haftHere(["sandbox", "doctor", "contained", "--json"], { cwd });
    expect(run.code).toBe(0);
    expect(run.lines()[0]).toMatchObject([
      {
        backend: "contained",
        available: true,
        details: { program: expect.stringContaining("bwrap"), "network none": expect.any(String) },
      },
    ]);
    const [{ startMs, details }] = run.lines()[0];
    expect(startMs).toBeGreaterThan(0);
    expect(details["network full"]).toMatch(/pasta|slirp4netns|the host's/);
    expect(details.git).toMatch(/git/);
  });

  test("explain prints the view that commands meet, for any name of the workspace", async () => {
    const { cwd, folder, policy } = await project(named);
    await writeFile(join(cwd, ".netrc"), "TOKEN=1\n");
    await mkdir(join(cwd, ".vscode"));
    await writeFile(join(cwd, ".vscode/settings.json"), "{}");
    const args = ["sandbox", "explain", "contained", ...policy];
    const { code, stdout } = await haftHere(args, { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain(`written               ${JSON.stringify(cwd)}`);
    expect(stdout.split("\n").every((line) => line === "" || /^(Commands of|  \S)/.test(line))).toBe(true);
    const { places, wanted } = (await haftHere([...args, "--json"], { cwd })).lines()[0];
    expect(wanted).toMatchObject({ mode: "workspace", network: "none" });
    expect(places).toMatchObject({
      writable: [cwd],
      hidden: expect.arrayContaining([join(cwd, ".netrc")]),
      held: expect.arrayContaining([join(cwd, ".vscode"), join(cwd, ".git/hooks")]),
      heldOnceThere: expect.arrayContaining([join(cwd, ".git/config.worktree")]),
      git: { repositories: [join(cwd, ".git")] },
      network: { kind: "none" },
    });
    // Looking has made nothing.
    expect(existsSync(getStateFolder(cwd))).toBe(false);
    expect(execFileSync("git", ["status", "--short"], { cwd, encoding: "utf8" })).toBe(
      "?? .netrc\n?? .vscode/\n",
    );
    const lines = [
      ...places.held.map((path: string) => `touch ${quoted(`${path}/made`)} && echo held was written`),
      ...places.hidden.map(
        (path: string) => `[ -z "$(cat ${quoted(path)} 2>/dev/null)" ] || echo hidden was read`,
      ),
      ...places.writable.map((path: string) => `echo yes >${quoted(`${path}/made`)}`),
      `touch ${quoted(`${folder}/beside`)}`,
      "ls -A /tmp | grep -v '^haft-test-' ; echo end",
    ];
    const call = JSON.stringify({ command: lines.join("\n") });
    const run = await haftHere(["tools", "call", "exec", call, ...policy], { cwd });
    // The order of lines from standard output and standard error is not fixed.
    expect(run.stdout).toMatch(/^end$/m);
    expect(run.stdout).not.toMatch(/was (written|read)/);
    expect(await readFile(join(cwd, "made"), "utf8")).toBe("yes\n");
    expect(existsSync(join(folder, "beside"))).toBe(false);
  });

  test("explain prints where a call would run and how it can run outside; a preview leaves no files", async () => {
    const { cwd, policy } = await project("project", { preset: "contained", network: ["a.example"] });
    const explain = (args: object, ...more: string[]) =>
      haftHere(["explain", "exec", JSON.stringify({ command: "npm test", ...args }), ...policy, ...more], {
        cwd,
      });
    const inside = await explain({});
    expect(inside).toMatchObject({ code: 0 });
    expect(inside.stdout).toMatch(
      /commands +contained: writes in the workspace, network a\.example \(.*exec\.preset/,
    );
    const outside = await explain({ outside: true, reason: "it asks\nthe bus" });
    expect(outside).toMatchObject({ code: 1 });
    expect(outside.stdout).toContain("runs outside the view; its reason  it asks the bus");
    expect(outside.stdout).toMatch(/→ +policy +containment +ask/);
    const host = await explain({ network: ["b.example"] }, "--json");
    expect(host.lines()[0]).toMatchObject({ verdict: "asks", containment: { contained: true } });
    expect(host.lines()[0].reason).toContain("b.example");
    expect((await haftHere(["explain", "read", '{"path":"a"}', ...policy], { cwd })).stdout).not.toContain(
      "commands  ",
    );
    expect((await haftHere(["tools", ...policy], { cwd })).stdout).toContain(
      "Commands are contained: writes",
    );
    expect(existsSync(getStateFolder(cwd))).toBe(false);
  });

  test("files of the last command are reported on standard error, because no answer follows", async () => {
    const { cwd, policy } = await project();
    const command = "mkdir .vscode && echo {} > .vscode/tasks.json && git config core.pager evil";
    const { stdout, stderr } = await haft(["tools", "call", "exec", JSON.stringify({ command }), ...policy], {
      cwd,
    });
    expect(stdout).toBe("(no output)\n");
    expect(stderr).toMatch(/^haft: Held back: \S+\/\.vscode, because it starts programs/m);
    expect(stderr).toMatch(/^haft: .*and \S+config is unchanged: core\.pager\./m);
  });

  test("running outside needs one approval from another process, and a grant covers the exact call", async () => {
    const { cwd, folder, policy } = await project();
    const env = { HAFT_STATE_DIR: getStateFolder(cwd) };
    const marker = join(folder, "made");
    const leave = (command: string) => ({
      name: "exec",
      arguments: { command, outside: true, reason: "it lies beside the project" },
    });
    const session = converse([...policy, "--json"], cwd);
    session.send(leave(`touch ${marker}`));
    const pendingAnswer = await session.answer();
    expect(pendingAnswer).toMatchObject({ kind: "pending" });
    expect(pendingAnswer.details.prompt).toContain("Leaves the view of its session");
    const listed = (await haftHere(["approvals", "--json"], { cwd, env })).lines()[0];
    expect(listed.requests).toMatchObject([{ approvalId: pendingAnswer.approvalId }]);
    const text = (await haftHere(["approvals"], { cwd, env })).stdout;
    expect(text).toContain("it lies beside the project");
    const answer = ["approvals", "answer", pendingAnswer.approvalId, "always"];
    expect(await haftHere(answer, { cwd, env })).toMatchObject({ code: 0 });
    expect(await session.answer()).toMatchObject({ kind: "ok" });
    await rm(marker);
    session.send(leave(`touch ${marker}`));
    expect(await session.answer()).toMatchObject({ kind: "ok" });
    expect(existsSync(marker)).toBe(true);
    session.send(leave(`touch ${marker}-too`));
    expect(await session.answer()).toMatchObject({ kind: "pending" });
    session.send({ name: "exec", arguments: { command: `touch ${marker}-too` } });
    // It is made in a temporary folder of the view's own.
    expect(await session.answer()).toMatchObject({ kind: "ok" });
    expect(existsSync(`${marker}-too`)).toBe(false);
    await session.end();
    const explained = await haftHere(
      ["explain", "exec", JSON.stringify(leave(`touch ${marker}`).arguments), ...policy],
      { cwd },
    );
    expect(explained).toMatchObject({ code: 0 });
  });
});

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
