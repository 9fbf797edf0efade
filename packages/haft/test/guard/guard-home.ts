import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { packed } from "../../../../test/support/build-under-test.ts";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { withCommandEnvironment, haft, haftHere, haftAsClient } from "../support/haft.ts";

export let home = "";
export let project = "";
export let policy = "";
export let env: Record<string, string> = {};

/** Where Haft looks, where agents keep their settings, and what marks a command as an agent's: whoever runs the tests may be one. */
const BLANK =
  `XDG_STATE_HOME HAFT_ADMIN_POLICY HAFT_CONFIG HAFT_POLICY HAFT_PROCESS CLAUDE_CONFIG_DIR CLAUDE_PROJECT_DIR
  CLAUDE_CODE_SESSION_ATTENDED CLAUDECODE CODEX_HOME CODEX_SANDBOX CODEX_THREAD_ID COPILOT_HOME GEMINI_PROJECT_DIR GEMINI_CLI
  CURSOR_AGENT OPENCODE OPENCLAW_HOME OPENCLAW_STATE_DIR OPENCLAW_CONFIG_PATH OPENCLAW_PROFILE GEMINI_CLI_HOME PI_CODING_AGENT_DIR CURSOR_CONFIG_DIR OPENCODE_CONFIG
  OPENCODE_CONFIG_DIR`.split(/\s+/);

/** A home folder with a project and a policy, anew for each test. */
export async function makeHome(rules = 'deny: ["exec(rm *)"]\nask: ["exec(git push*)"]\n'): Promise<void> {
  home = await temporaryFolder();
  project = join(home, "shop");
  policy = join(home, "policy.yaml");
  await mkdir(join(project, ".git"), { recursive: true });
  await writeFile(policy, rules);
  env = {
    ...Object.fromEntries(BLANK.map((name) => [name, ""])),
    HOME: home,
    // As it would be without it, also where a command runs in this very process, which has a home folder of its own.
    XDG_CONFIG_HOME: join(home, ".config"),
    HAFT_STATE_DIR: getStateFolder(home),
  };
}

/** The operator's configuration, with this text. Answers where it is. */
export async function configure(text: string): Promise<string> {
  const file = join(home, ".config/haft/haft.config.yaml");
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, text);
  return file;
}

/** More of them, or others, for the rest of a test. */
export function withVariables(more: Record<string, string>): void {
  env = { ...env, ...more };
}

export const claude = (command: string, more: object = {}) =>
  JSON.stringify({
    session_id: "s1",
    cwd: project,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    ...more,
  });
export const claudeRead = (path: string) =>
  claude("", { tool_name: "Read", tool_input: { file_path: path } });

/** Runs `haft guard` in the test's process. */
export const guard = (...words: string[]) => haftHere(["guard", ...words], { cwd: project, env });

export async function install(...words: string[]): Promise<void> {
  expect(await guard("install", ...words)).toMatchObject({ code: 0, stderr: "" });
}

/** By a process of its own, which installs the program of the build: for what runs it often. */
export async function installBuild(...words: string[]): Promise<void> {
  const done = await haft(["guard", "install", ...words], { cwd: project, env });
  expect(done).toMatchObject({ code: 0, stderr: "" });
}

/** What the hook of an agent answers, decided in the test's process. */
export async function hook(
  input: string | Uint8Array,
  words: readonly string[] = ["claude", "--policy", policy],
  more: Record<string, string> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  if (packed !== undefined) return hookProcess(input, words, more);
  // Not literals: they are no part of a test that also runs against what is packed.
  const folder: string = join(import.meta.dirname, "../../../guard/src/hook");
  const { hookAnswer } = await import(join(folder, "hook-answer.ts"));
  const { lazyHookModules } = await import(join(folder, "lazy-hook-modules.ts"));
  const payload = async () =>
    typeof input === "string" ? input : new TextDecoder("utf-8", { fatal: true }).decode(input);
  // The process above is the test runner's, and no agent.
  const parent = vi.spyOn(process, "ppid", "get").mockReturnValue(0);
  try {
    const { exitCode, stdout, stderr } = await withCommandEnvironment(
      { cwd: project, env: { ...env, ...more } },
      async () => hookAnswer(words, async () => lazyHookModules, payload),
    );
    return { code: exitCode, stdout, stderr };
  } finally {
    parent.mockRestore();
  }
}

/** The same by a process of its own, as agents start it. */
export const hookProcess = (
  input: string | Uint8Array,
  words: readonly string[] = ["claude", "--policy", policy],
  more: Record<string, string> = {},
) => haftAsClient(["guard", "hook", ...words], { cwd: project, input, env: { ...env, ...more } });

/** What Claude reads; empty for no opinion. */
export function readReason(stdout: string): string {
  if (stdout === "") return "";
  const answer = JSON.parse(stdout) as { hookSpecificOutput: Record<string, string> };
  expect(answer.hookSpecificOutput["permissionDecision"]).toBe("deny");
  return answer.hookSpecificOutput["permissionDecisionReason"]!;
}

/** Has Codex trust the hook in its settings, as reviewing it in /hooks does. The formula is that of Codex 0.171.0, said here once more. */
export async function trustInCodex(file: string): Promise<void> {
  const text = await readFile(file, "utf8");
  const command = JSON.parse(
    /^command = ("(?:[^"\\]|\\.)*guard-hook(?:[^"\\]|\\.)*")/m.exec(text)![1]!,
  ) as string;
  const hook = `{"async":false,"command":${JSON.stringify(command)},"timeout":15,"type":"command"}`;
  const hashed = `{"event_name":"pre_tool_use","hooks":[${hook}],"matcher":".*"}`;
  const hash = createHash("sha256").update(hashed).digest("hex");
  const key = JSON.stringify(`${file}:pre_tool_use:0:0`);
  await writeFile(file, `${text}\n[hooks.state.${key}]\ntrusted_hash = "sha256:${hash}"\n`);
}
