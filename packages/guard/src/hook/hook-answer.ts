import { getErrorMessage } from "@haft/core";
import { withTimeout } from "@haft/utils";
import { isAbsolute } from "node:path";
import { getAgent } from "../agents/agents.ts";
import type { HookAnswer } from "../contract/agent.ts";
import { ANSWER_PREFIX, MARKED_OPTION } from "../settings/hook-constants.ts";
import { failedAnswer, type HookArguments, type HookModules, runHook } from "./run-hook.ts";

/** Milliseconds. Agents wait ten seconds or more and treat silence as permission. */
const LONGEST_MS = 8_000;

export type LoadHookModules = () => Promise<HookModules>;

/** Denies the call on a timeout. */
export async function hookAnswer(
  words: readonly string[],
  load: LoadHookModules,
  payload: () => Promise<string>,
): Promise<HookAnswer> {
  let line: HookArguments;
  try {
    line = readHookLine(words);
    getAgent(line.agent);
  } catch (thrown) {
    const stdout = words.includes(MARKED_OPTION) ? ANSWER_PREFIX : "";
    return { stdout, stderr: `Haft denies this call: ${getErrorMessage(thrown)}.\n`, exitCode: 2 };
  }
  const run = await withTimeout(runHook(line, payload, partsOf(load)), LONGEST_MS);
  const late = new Error(`it took longer than ${LONGEST_MS / 1000} s`);
  const answer = run?.answer ?? failedAnswer(getAgent(line.agent), late, line);
  return line.marked === true ? { ...answer, stdout: ANSWER_PREFIX + answer.stdout } : answer;
}

function partsOf(load: LoadHookModules): HookModules {
  return {
    readRules: async (...args) => (await load()).readRules(...args),
    loadHaftServerCheck: async () => (await load()).loadHaftServerCheck(),
    loadFindProcess: async () => (await load()).loadFindProcess(),
    openApprovals: async () => (await load()).openApprovals(),
    auditDecision: async (...args) => (await load()).auditDecision(...args),
  };
}

/** @throws Error if an argument is invalid */
function readHookLine(words: readonly string[]): HookArguments {
  const rest: string[] = [];
  let policyFile: string | undefined;
  let watchOnly = false;
  let marked = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === "--watch-only") watchOnly = true;
    else if (word === MARKED_OPTION) marked = true;
    else if (word === "--policy") policyFile = words[++at] ?? "";
    else if (word.startsWith("--policy=")) policyFile = word.slice("--policy=".length);
    else if (word.startsWith("-")) throw new Error(`haft guard hook has no option ${word}`);
    else rest.push(word);
  }
  const [agent, event, more] = rest;
  if (agent === undefined) throw new Error("haft guard hook needs the name of an agent");
  if (more !== undefined) throw new Error(`haft guard hook accepts one event, but also got ${more}`);
  // A relative path would depend on the agent's folder.
  if (policyFile !== undefined && !isAbsolute(policyFile))
    throw new Error(`--policy of a hook must be an absolute path; got ${JSON.stringify(policyFile)}`);
  return { agent, event, policyFile, watchOnly, marked };
}
