import { type HostProgram, hostProgram, runningNode, startProgram } from "@haft/workspace/internal/system";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DECIDE, PROBE } from "../hook/inside.ts";
import type { AgentSettings, HookOutcome } from "../settings/agent-settings.ts";
import { inProbeFolder } from "./probe-folder.ts";

/** What became of a line when it was run. */
export interface Probed {
  /** A forbidden call was denied by an answer. */
  denies: boolean;
  /** A forbidden call was kept from running although the guard's own program crashed, and although there was none. */
  deniesWithout: boolean;
  outcomes: { forbidden: HookOutcome; crash: HookOutcome; missing: HookOutcome };
}

/** A module that is not there, which ends Node before it does anything. */
const CRASH = { NODE_OPTIONS: "--require=/nowhere/haft-guard-probe.cjs" };

/**
 * Runs what the settings have, as the agent would: with a call that is denied under any policy, again so that the guard's program
 * crashes at its start, and once more with a program that is not there. Nothing is executed of the call.
 */
export async function probe(
  settings: AgentSettings,
  { line: installed, isServer }: { line: string; isServer: boolean },
  file: string,
): Promise<Probed> {
  return inProbeFolder(async (folder) => {
    const payload = settings.forbidden(file, folder);
    const run = (text: string, env: Record<string, string>) =>
      settings.isModule
        ? runModule(settings, { text, payload, folder, env })
        : finish(hostProgram("sh"), ["-c", text], {
            folder,
            input: isServer ? callOf(payload) : JSON.stringify(payload),
            env,
          }).then((outcome) => (isServer ? answerIn(outcome) : outcome));
    const forbidden = await run(installed, {});
    const crash = await run(installed, CRASH);
    const missing = await run(
      installed.replaceAll(/guard-hook\.(c?[jt]s)/g, "guard-hook-that-is-gone.$1"),
      {},
    );
    return {
      denies: settings.blocks(forbidden),
      deniesWithout: settings.blocks(crash) && settings.blocks(missing),
      outcomes: { forbidden, crash, missing },
    };
  });
}

/** What a client would send to a server for it. */
function callOf(payload: object): string {
  const fields = Object.entries(payload).map(([key, value]) => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const params = { name: DECIDE, arguments: Object.fromEntries(fields) as object };
  return `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`;
}

/** What that said. Without an answer, the client was told to block. */
function answerIn({ stdout, stderr }: HookOutcome): HookOutcome {
  try {
    const { result } = JSON.parse(stdout.trim()) as {
      result: { content: { text: string }[]; isError?: true };
    };
    if (result.isError !== true) return { code: 0, stdout: result.content[0]!.text, stderr };
  } catch {
    // Nothing that a client could take for an answer.
  }
  return { code: 2, stdout, stderr: stderr || "The server gave no answer." };
}

/** How agents call their modules, and what those say. */
const CALLS: Readonly<Partial<Record<AgentSettings["id"], string>>> = {
  pi: `
      let handler;
      own.default({ on: (_event, given) => (handler = given) });
      const answer = await handler({ toolName: tool, input: args }, { cwd, hasUI: false, sessionManager: { getSessionId: () => PROBE } });
      say(answer?.block === true, answer?.reason);`,
  opencode: `
      const [make] = Object.values(own);
      const hooks = await make({ directory: cwd });
      await hooks["tool.execute.before"]({ tool, sessionID: PROBE }, { args });
      say(false);`,
  openclaw: `
      let handler;
      const agent = { resolveAgentWorkspaceDir: () => cwd };
      own.default.register({ config: {}, runtime: { agent }, on: (_event, given) => (handler = given) });
      const answer = await handler({ toolName: tool, params: args }, { sessionKey: PROBE });
      say(answer?.block === true, answer?.blockReason);`,
};

/** Loads the module as its agent does, and says as JSON whether it let the call go on. */
async function runModule(
  settings: AgentSettings,
  {
    text,
    payload,
    folder,
    env,
  }: { text: string; payload: object; folder: string; env: Record<string, string> },
): Promise<HookOutcome> {
  const file = join(folder, "module.mjs");
  writeFileSync(file, text);
  const program = `
    import * as own from ${JSON.stringify(file)};
    const PROBE = ${JSON.stringify(PROBE)};
    const { tool, args, cwd } = ${JSON.stringify(payload)};
    Object.assign(process.env, ${JSON.stringify(env)});
    const say = (block, reason) => console.log(JSON.stringify({ block, reason }));
    try {
      ${CALLS[settings.id] ?? ""}
    } catch (error) {
      say(true, error.message);
    }`;
  return finish(runningNode(), ["--input-type=module", "-e", program], { folder, input: "", env: {} });
}

/** Milliseconds: longer than the line's own end. */
const LONGEST_MS = 20_000;

function finish(
  program: HostProgram,
  words: readonly string[],
  { folder, input, env }: { folder: string; input: string; env: Record<string, string> },
): Promise<HookOutcome> {
  return new Promise((resolve) => {
    const child = startProgram(program, words, { cwd: folder, env: { ...process.env, ...env } });
    const timer = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
    let [stdout, stderr] = ["", ""];
    child.stdout!.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr!.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.stdin!.on("error", () => {});
    child.on("error", (error) => (stderr += error.message));
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, stdout, stderr });
    });
    child.stdin!.end(input);
  });
}
