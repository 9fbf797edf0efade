import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { env, home, project } from "./guard-home.ts";

/** The settings that the guard is installed in, by agent, in the home folder. */
const FILES: Record<string, string> = {
  claude: ".claude/settings.json",
  codex: ".codex/config.toml",
  gemini: ".gemini/settings.json",
  copilot: ".copilot/hooks/haft-guard.json",
  cursor: ".cursor/hooks.json",
  opencode: ".config/opencode/plugins/haft-guard.js",
  pi: ".pi/agent/extensions/haft-guard.ts",
  openclaw: ".openclaw/extensions/haft-guard/index.js",
};

export const settings = (agent: string) => join(home, FILES[agent]!);

/** Settings with this text. Answers where they are. */
export async function put(agent: string, text: string): Promise<string> {
  const file = settings(agent);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, text);
  return file;
}

/** The line that Claude's settings have. */
export function lineOfClaude(): string {
  const text = readFileSync(settings("claude"), "utf8");
  return JSON.parse(/"command":\s*("(?:[^"\\]|\\.)*guard-hook(?:[^"\\]|\\.)*")/.exec(text)![1]!);
}

/** Runs a line of settings, as agents do by a shell. */
export function runLine(line: string, command: string, more: Record<string, string> = {}) {
  const input = JSON.stringify({ session_id: "s", cwd: project, tool_name: "Bash", tool_input: { command } });
  const { status, stdout, stderr } = spawnSync("sh", ["-c", 'sh -c "$HAFT_TEST_LINE"; exit $?'], {
    cwd: project,
    input,
    env: { ...process.env, ...env, ...more, HAFT_TEST_LINE: line },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}
