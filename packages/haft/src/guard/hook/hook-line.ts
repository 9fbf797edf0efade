import { isAbsolute } from "node:path";
import { MARKED } from "./hook-words.ts";
import type { HookLine } from "./run-hook.ts";

/**
 * The words behind `haft guard hook`, as agents' settings have them.
 *
 * @throws Error saying what is wrong with them
 */
export function readHookLine(words: readonly string[]): HookLine {
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
