import {
  attempt,
  type HostProgram,
  hostProgram,
  isAlive,
  runningNode,
  startProgram,
  getCurrentProcess,
} from "@haft/system";
import { shellWord } from "@haft/utils";
import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentSettings, HookOutcome } from "../settings/agent-settings.ts";
import { PROBE_FILE, PROBE_SESSION } from "../settings/hook-constants.ts";
import { isReportedFailure } from "../settings/outcomes.ts";
import { parseHookEntry } from "./parse-hook-entry.ts";

export interface ProbeResult {
  /** A forbidden call was denied with the guard's own reason. */
  denies: boolean;
  /** A harmless call got an answer. */
  answers: boolean;
  /** A forbidden call was blocked although the program failed. */
  deniesWithout: boolean;
  outcomes: Record<"forbidden" | "harmless" | "crash" | "silent" | "missing", HookOutcome>;
}

/** Every policy denies this call. */
const GUARD_REASON = /Haft denies this call: it would change .*, and no agent (?:does that|may do this)/s;
const BROKEN = { crash: "kill -s SEGV $$", silent: "exit 0" };

/** Also uses programs that crash, stay silent or are missing. It runs no call. */
export async function probe(settings: AgentSettings, installed: string, file: string): Promise<ProbeResult> {
  return inProbeFolder(async (folder) => {
    const payload = settings.forbidden(file, folder);
    const run = (text: string, given: object = payload) =>
      settings.isModule
        ? runModule(settings, { text, payload: given, folder })
        : finish(hostProgram("sh"), ["-c", text], { folder, input: JSON.stringify(given) });
    const forbidden = await run(installed);
    const harmless = await run(installed, settings.forbidden(join(folder, PROBE_FILE), folder));
    const crash = await run(withProgram(installed, folder, "crash"));
    const silent = await run(withProgram(installed, folder, "silent"));
    const missing = await run(installed.replaceAll(/guard-hook\.(c?[jt]s)/g, "guard-hook-that-is-gone.$1"));
    return {
      denies: settings.blocks(forbidden) && GUARD_REASON.test(forbidden.stdout),
      answers:
        !isReportedFailure(harmless) &&
        harmless.code === 0 &&
        !/its guard |could not decide/.test(harmless.stdout),
      deniesWithout: [crash, silent, missing].every((outcome) => settings.blocks(outcome)),
      outcomes: { forbidden, harmless, crash, silent, missing },
    };
  });
}

function withProgram(installed: string, folder: string, how: keyof typeof BROKEN): string {
  const { programs } = parseHookEntry(installed);
  const [node, hook] = programs;
  const file = join(folder, `${how}-guard-hook.cjs`);
  if (/^const WORDS = /m.test(installed)) {
    writeFileSync(file, how === "crash" ? "throw new Error('a probe');" : "process.exit(0);");
    return hook === undefined ? installed : installed.replaceAll(JSON.stringify(hook), JSON.stringify(file));
  }
  writeFileSync(file, `#!/bin/sh\n${BROKEN[how]}\n`, { mode: 0o700 });
  return node === undefined ? installed : installed.replaceAll(`${shellWord(node)} `, `${shellWord(file)} `);
}

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

async function runModule(
  settings: AgentSettings,
  { text, payload, folder }: { text: string; payload: object; folder: string },
): Promise<HookOutcome> {
  const file = join(folder, "module.mjs");
  writeFileSync(file, text);
  const program = `
    import * as own from ${JSON.stringify(file)};
    const PROBE = ${JSON.stringify(PROBE_SESSION)};
    const { tool, args, cwd } = ${JSON.stringify(payload)};
    const say = (block, reason) => console.log(JSON.stringify({ block, reason }));
    try {
      ${CALLS[settings.id] ?? ""}
    } catch (error) {
      say(true, error.message);
    }`;
  return finish(runningNode(), ["--input-type=module", "-e", program], { folder, input: "" });
}

/** Longer than the timeout of the hook line. */
const LONGEST_MS = 20_000;

function finish(
  program: HostProgram,
  words: readonly string[],
  { folder, input }: { folder: string; input: string },
): Promise<HookOutcome> {
  return new Promise((resolve) => {
    const child = startProgram(program, words, { cwd: folder, env: { ...process.env } });
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

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const NAME = /^haft-guard-probe-(\d+)-(\d+)-/;

/** Signals remove the folder. The next run removes the folder of a killed process. */
async function inProbeFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  removeLeft();
  const { pid, started } = getCurrentProcess();
  let folder: string | undefined;
  const remove = () => folder !== undefined && rmSync(folder, { recursive: true, force: true });
  const end = (signal: NodeJS.Signals) => {
    attempt(remove);
    for (const name of SIGNALS) process.off(name, end);
    process.kill(process.pid, signal);
  };
  // A signal can arrive at once.
  for (const name of SIGNALS) process.on(name, end);
  try {
    folder = mkdtempSync(join(tmpdir(), `haft-guard-probe-${pid}-${started}-`));
    return await work(folder);
  } finally {
    for (const name of SIGNALS) process.off(name, end);
    remove();
  }
}

/** Only removes folders of this user: others can create such names. */
function removeLeft(): void {
  for (const name of attempt(() => readdirSync(tmpdir())) ?? []) {
    const [, pid, started] = NAME.exec(name) ?? [];
    if (pid === undefined || isAlive({ pid: Number(pid), started: Number(started) })) continue;
    attempt(() => {
      const path = join(tmpdir(), name);
      const found = lstatSync(path);
      if (found.isDirectory() && found.uid === process.geteuid?.()) rmSync(path, { recursive: true });
    });
  }
}
