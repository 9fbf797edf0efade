import { messageOf } from "@haft/core";
import { withTimeout } from "@haft/core/internal";
import { agentNamed, type HookAnswer } from "@haft/guard";
import { isAbsolute } from "node:path";
import { MARK, MARKED } from "./hook-words.ts";
import { failedAnswer, type HookLine, type HookParts, runHook } from "./run-hook.ts";

/** Milliseconds a hook takes at most: agents wait ten seconds or more, and take silence for consent. */
const LONGEST_MS = 8_000;

export type LoadParts = () => Promise<HookParts>;

/**
 * What a hook with these words answers to a payload, as it is written. One that takes too long is a denial; what it began goes on, and
 * is nobody's business.
 */
export async function hookAnswer(
  words: readonly string[],
  load: LoadParts,
  payload: () => Promise<string>,
): Promise<HookAnswer> {
  let line: HookLine;
  try {
    line = readHookLine(words);
    agentNamed(line.agent);
  } catch (thrown) {
    return { stdout: "", stderr: `Haft denies this call: ${messageOf(thrown)}.\n`, exitCode: 2 };
  }
  const run = await withTimeout(runHook(line, payload, partsOf(load)), LONGEST_MS);
  const late = new Error(`it took longer than ${LONGEST_MS / 1000} s`);
  const answer = run?.answer ?? failedAnswer(agentNamed(line.agent), late, line);
  return line.marked === true ? { ...answer, stdout: MARK + answer.stdout } : answer;
}

function partsOf(load: LoadParts): HookParts {
  return {
    readRules: async (...args) => (await load()).readRules(...args),
    isOwnServer: async () => (await load()).isOwnServer(),
    lookAbove: async () => (await load()).lookAbove(),
    openApprovals: async () => (await load()).openApprovals(),
    writeDown: async (...args) => (await load()).writeDown(...args),
  };
}

/**
 * The words behind `haft guard hook`, as agents' settings have them.
 *
 * @throws Error saying what is wrong with them
 */
function readHookLine(words: readonly string[]): HookLine {
  const rest: string[] = [];
  let policyFile: string | undefined;
  let watchOnly = false;
  let marked = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === "--watch-only") watchOnly = true;
    else if (word === MARKED) marked = true;
    else if (word === "--policy") policyFile = words[++at] ?? "";
    else if (word.startsWith("--policy=")) policyFile = word.slice("--policy=".length);
    else if (word.startsWith("-")) throw new Error(`haft guard hook has no option ${word}`);
    else rest.push(word);
  }
  const [agent, event, more] = rest;
  if (agent === undefined) throw new Error("haft guard hook needs the name of an agent");
  if (more !== undefined) throw new Error(`haft guard hook is about one event; got ${more}, too`);
  // Relative it would be another file wherever the agent is started.
  if (policyFile !== undefined && !isAbsolute(policyFile))
    throw new Error(`--policy of a hook is an absolute path, and ${JSON.stringify(policyFile)} is none`);
  return { agent, event, policyFile, watchOnly, marked };
}
