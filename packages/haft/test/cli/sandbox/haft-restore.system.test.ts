import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { isSkipped } from "../../../../host/test/sandbox/support.ts";
import { haft, haftHere } from "../../support/haft.ts";

const TEAM = [
  ".claude/settings.json",
  ".envrc",
  ".idea/x.xml",
  ".mcp.json",
  ".vscode/settings.json",
  "sub/.envrc",
];

/** A repository whose branch `feat` has settings of a team. */
async function aProject() {
  const cwd = join(realpathSync(await temporaryFolder()), "project");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], {
      cwd,
      encoding: "utf8",
    });
  await mkdir(cwd);
  git("init", "-q", "-b", "main");
  await writeFile(join(cwd, "a.txt"), "a\n");
  git("add", "-A");
  git("commit", "-qm", "first");
  git("checkout", "-qb", "feat");
  for (const name of TEAM) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), "{}\n");
  }
  git("add", "-A");
  git("commit", "-qm", "settings");
  git("checkout", "-q", "main");
  const policy = join(dirname(cwd), "policy.json");
  await writeFile(policy, JSON.stringify({ exec: { preset: "contained" } }));
  const call = (command: string) =>
    haft(["tools", "call", "exec", JSON.stringify({ command }), "--policy", policy], { cwd });
  return { cwd, git, call };
}

describe.skipIf(isSkipped)("haft sandbox restore", () => {
  test("restores tracked settings of a team after a commit of the user", async () => {
    const { cwd, git, call } = await aProject();
    expect(await call("git checkout -q feat && git status --short")).toMatchObject({ code: 0 });
    for (const name of TEAM) expect([name, existsSync(join(cwd, name))]).toEqual([name, false]);
    expect(git("status", "--porcelain")).toBe("");
    await writeFile(join(cwd, "a.txt"), "work\n");
    git("commit", "-qam", "work");
    expect(git("show", "--stat", "--format=", "HEAD")).toMatch(/^ a\.txt \| 2 \+-\n 1 file changed/);

    const listed = await haftHere(["sandbox", "restore"], { cwd });
    expect(listed.stdout).toContain(`${join(cwd, ".envrc")} (git tracks it)`);
    const one = await haftHere(["sandbox", "restore", ".envrc", "--json"], { cwd });
    expect(one.lines()).toEqual([{ quarantined: [], restored: [join(cwd, ".envrc")], failed: [] }]);
    const again = await haftHere(["sandbox", "restore", ".envrc"], { cwd });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining(".envrc is not in quarantine") });
    await writeFile(join(cwd, ".mcp.json"), "mine\n");
    const rest = await haftHere(["sandbox", "restore", "--all"], { cwd });
    expect(rest).toMatchObject({ code: 1, stderr: expect.stringContaining("another file is in its place") });
    for (const name of TEAM.filter((other) => other !== ".mcp.json"))
      expect(readFileSync(join(cwd, name), "utf8")).toBe("{}\n");
    // Restored files stay where a command runs next.
    expect(await call("true")).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, ".vscode/settings.json"))).toBe(true);
    expect(git("status", "--porcelain")).toBe(" M .mcp.json\n");
  });

  test("finds a file through links, also through a link to a quarantined file", async () => {
    const { cwd, call } = await aProject();
    await call("git checkout -q feat");
    await symlink(cwd, join(dirname(cwd), "link"));
    await symlink(".vscode", join(cwd, "to-vscode"));
    await symlink("a.txt", join(cwd, ".envrc"));
    const paths = ["../link/.mcp.json", "to-vscode"];
    const through = await haftHere(["sandbox", "restore", ...paths], { cwd });
    expect(through).toMatchObject({ code: 0, stderr: "" });
    for (const name of [".mcp.json", ".vscode/settings.json"])
      expect([name, existsSync(join(cwd, name))]).toEqual([name, true]);
    const replaced = await haftHere(["sandbox", "restore", ".envrc"], { cwd });
    expect(replaced).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("another file is in its place"),
    });
    const part = await haftHere(["sandbox", "restore", ".idea/x.xml"], { cwd });
    expect(part.stderr).toContain(
      `.idea/x.xml is part of ${join(cwd, ".idea")}, which is in quarantine as a whole`,
    );
  });

  test("reports a file in place of a folder", async () => {
    const { cwd, call } = await aProject();
    await call("git checkout -q feat");
    await rm(join(cwd, "sub"), { recursive: true, force: true });
    await writeFile(join(cwd, "sub"), "mine\n");
    const { code, stderr } = await haftHere(["sandbox", "restore", "sub/.envrc"], { cwd });
    const path = join(cwd, "sub");
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${path} is in its way and is not a folder`)]);
    expect(readFileSync(path, "utf8")).toBe("mine\n");
    const storedPath = /It is stored as (.+)\.\n$/.exec(stderr)?.[1] ?? "";
    expect(readFileSync(storedPath, "utf8")).toBe("{}\n");
    const listed = await haftHere(["sandbox", "restore"], { cwd });
    expect(listed.stdout).toContain(`stored as ${storedPath}`);
  });

  test("is refused for a command of a session", async () => {
    const { cwd, call } = await aProject();
    await call("git checkout -q feat");
    const env = { HAFT_PROCESS: "1" };
    const run = await haft(["sandbox", "restore", "--all"], { cwd, env });
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("INSIDE_SESSION") });
    expect(existsSync(join(cwd, ".envrc"))).toBe(false);
  });
});
