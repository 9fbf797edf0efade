import type { AgentId } from "../../contract/payload.ts";
import type { AgentSettings } from "../agent-settings.ts";
import { dedicatedFileSettings } from "../dedicated-file-settings.ts";
import {
  CLIENT_HOME,
  type HookEntry,
  hookArguments,
  formatMissingGuard,
  PASSED_VARIABLES,
} from "../hook-entry.ts";
import { hasOutputValue } from "../outcomes.ts";

/** Identifies modules of the guard. */
export const MODULE_HEADER = "// Written by haft guard install; haft guard uninstall takes it away.";

export function moduleSettings(write: (line: HookEntry) => string) {
  return {
    isModule: true,
    ...dedicatedFileSettings({ write, read: (text) => (text.startsWith(MODULE_HEADER) ? [text] : []) }),
    blocks: (outcome) => hasOutputValue(outcome, ["block"], true),
  } satisfies Partial<AgentSettings>;
}

/**
 * In the module, `ask(payload)` starts the hook. It throws if the guard is missing, crashes, gives an invalid answer or does not end,
 * unless it only watches. The module loads no file of the guard, so it blocks calls even if the guard is missing.
 */
export function moduleText(agent: AgentId, event: string, line: HookEntry): string {
  const [node, ...before] = line.program;
  const words = [...before, ...hookArguments(agent, event, line)];
  return `${MODULE_HEADER}
import { spawn } from "node:child_process";

const PROGRAM = ${JSON.stringify(node)};
const WORDS = ${JSON.stringify(words)};
const ENV = ${JSON.stringify(line.env)};
const MISSING = ${JSON.stringify(formatMissingGuard(agent, line).replace(/^.*?\. /, ""))};
const WATCH_ONLY = ${line.watchOnly};
const LONGEST_MS = 9000;
// No other variable of the agent loads code into what decides, or has it look for other rules.
const PASSED = ${JSON.stringify(PASSED_VARIABLES)};

function failed(why) {
  return new Error("Haft denies this call, since its guard " + why + ". " + MISSING);
}

function read(said, code) {
  try {
    const answer = JSON.parse(said);
    if (answer === null || typeof answer !== "object") throw new Error();
    if (code !== 0 && answer.block !== true) throw new Error();
    return answer;
  } catch {
    throw failed("ended with " + code + " and no answer");
  }
}

function decide(payload) {
  const env = {};
  for (const name of PASSED) if (process.env[name] !== undefined) env[name] = process.env[name];
  if (process.env.HOME !== undefined) env.${CLIENT_HOME} = process.env.HOME;
  Object.assign(env, ENV);
  return new Promise((resolve, reject) => {
    const child = spawn(PROGRAM, WORDS, { env, stdio: ["pipe", "pipe", "ignore"] });
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(failed("did not end"));
    }, LONGEST_MS);
    let said = "";
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(failed("cannot be started (" + error.message + ")"));
    });
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8").on("data", (more) => (said += more));
    child.on("close", (code) => {
      clearTimeout(timer);
      try {
        resolve(read(said, code));
      } catch (error) {
        reject(error);
      }
    });
    child.stdin.end(JSON.stringify(payload));
  });
}

async function ask(payload) {
  if (!WATCH_ONLY) return decide(payload);
  return decide(payload).then(() => ({}), () => ({}));
}
`;
}
