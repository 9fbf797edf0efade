import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { claude, hook, makeHome, project, withVariables } from "./guard-home.ts";

beforeEach(async () => {
  await makeHome("deny: []\n");
  withVariables({ CLAUDE_CODE_SESSION_ATTENDED: "1" });
  rmSync(join(project, ".git"), { recursive: true, force: true });
  const git = (...args: string[]) => execFileSync("git", args, { cwd: project });
  git("init", "-q");
  git("config", "core.hooksPath", ".githooks");
  mkdirSync(join(project, ".githooks"));
  writeFileSync(join(project, ".githooks/pre-commit"), "#!/bin/sh\nsh tools/check.sh\n", { mode: 0o755 });
});

const writing = (path: string) =>
  claude("", { tool_name: "Write", tool_input: { file_path: join(project, path), content: "x" } });

it.each([
  ".githooks/pre-commit",
  ".githooks/post-commit",
  "tools/check.sh",
  ".git/hooks/pre-commit",
  ".git/config",
])("asks about an agent's write to %s, which git runs", async (path) => {
  const { stdout } = await hook(writing(path));
  expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "ask" } });
  expect(stdout).toContain("Git or a git hook runs ");
});

it("asks about a redirect of a command to such a file, and not about other writes", async () => {
  const { stdout } = await hook(claude("echo x > .githooks/pre-commit"));
  expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "ask" } });
  for (const input of [
    writing("src/a.ts"),
    writing("README.md"),
    claude("echo x > out.txt"),
    claude("git status"),
  ])
    expect((await hook(input)).stdout).toBe("");
});
