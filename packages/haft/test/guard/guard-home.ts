import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { haftOfClient, stateFolderOf, temporaryFolder } from "../support/haft.ts";

export let home = "";
export let folder = "";
export let policy = "";
export let env: Record<string, string> = {};

/** A home folder with a project and a policy, anew for each test. */
export async function makeHome(): Promise<void> {
  home = await temporaryFolder();
  folder = join(home, "shop");
  policy = join(home, "policy.yaml");
  await mkdir(folder);
  await mkdir(join(folder, ".git"));
  await writeFile(policy, 'deny: ["exec(rm *)"]\nask: ["exec(git push*)"]\n');
  env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    HAFT_STATE_DIR: stateFolderOf(home),
    HAFT_ADMIN_POLICY: "",
    HAFT_CONFIG: "",
    HAFT_POLICY: "",
    CLAUDE_PROJECT_DIR: "",
    CLAUDE_CODE_SESSION_ATTENDED: "",
  };
}

/** More of them, or others, for the rest of a test. */
export function withVariables(more: Record<string, string>): void {
  env = { ...env, ...more };
}

export const claude = (command: string, more: object = {}) =>
  JSON.stringify({
    session_id: "s1",
    cwd: folder,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    ...more,
  });
export const reading = (path: string) => claude("", { tool_name: "Read", tool_input: { file_path: path } });

export const hook = (input: string | Uint8Array, words: readonly string[] = ["claude", "--policy", policy]) =>
  haftOfClient(["guard", "hook", ...words], { cwd: folder, input, env });

/** What Claude reads; empty for no opinion. */
export function reasonIn(stdout: string): string {
  if (stdout === "") return "";
  const said = JSON.parse(stdout) as { hookSpecificOutput: Record<string, string> };
  expect(said.hookSpecificOutput["permissionDecision"]).toBe("deny");
  return said.hookSpecificOutput["permissionDecisionReason"]!;
}
