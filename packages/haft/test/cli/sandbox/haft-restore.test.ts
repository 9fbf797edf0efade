import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { leftOut } from "../../sandbox/support.ts";
import { haft, haftHere, temporaryFolder } from "../../support/haft.ts";

const TEAM = [".claude/settings.json", ".envrc", ".idea/x.xml", ".mcp.json", ".vscode/settings.json"];

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
    haft(["call", "exec", JSON.stringify({ command }), "--policy", policy], { cwd });
  return { cwd, git, call };
}

describe.skipIf(leftOut)("haft sandbox restore", () => {
  test("settings of a team survive the next commit of the user, and one command restores them", async () => {
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

  test("a command of a session cannot restore", async () => {
    const { cwd, call } = await aProject();
    await call("git checkout -q feat");
    const env = { HAFT_PROCESS: "1" };
    const run = await haft(["sandbox", "restore", "--all"], { cwd, env });
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("TRUST_OF_SESSION") });
    expect(existsSync(join(cwd, ".envrc"))).toBe(false);
  });
});
