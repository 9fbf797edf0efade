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
export async function writeSettings(agent: string, text: string): Promise<string> {
  const file = settings(agent);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, text);
  return file;
}

/** The line that Claude's settings have. */
export function readClaudeLine(): string {
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

/** By agent: JavaScript that has its module as `own`, and defines `call`, which says why a command is blocked, or "runs". */
export const MODULE_CALLS: Readonly<Record<string, string>> = {
  pi: `let handler;
    own.default({ on: (_event, given) => (handler = given) });
    const call = async (command) => {
      const answer = await handler({ toolName: "bash", input: { command } }, {});
      return answer?.block === true ? answer.reason : "runs";
    };`,
  opencode: `const hooks = await Object.values(own)[0]({});
    const call = (command) => hooks["tool.execute.before"]({ tool: "bash" }, { args: { command } })
      .then(() => "runs", (error) => error.message);`,
  openclaw: `let handler;
    own.default.register({ on: (_event, given) => (handler = given) });
    const call = async (command) => {
      const answer = await handler({ toolName: "exec", params: { command } }, {});
      return answer?.block === true ? answer.blockReason : (answer?.requireApproval?.description ?? "runs");
    };`,
};
