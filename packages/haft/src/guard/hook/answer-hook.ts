import { messageOf } from "@haft/core";
import { agentNamed, type HookAnswer } from "@haft/guard";
import { writeSync } from "node:fs";
import { isAbsolute } from "node:path";
import { MARK, MARKED } from "./hook-words.ts";
import { readInput } from "./read-input.ts";
import { failedAnswer, type HookLine, type HookParts, type HookRun, runHook } from "./run-hook.ts";

/** Milliseconds a hook takes at most: agents wait ten seconds or more, and take silence for consent. */
const LONGEST_MS = 8_000;

export type LoadParts = () => Promise<HookParts>;

export interface Answered {
  /** Never 1, which agents take for a hook that failed, and run the call. */
  exitCode: number;
}

/** One run of a hook: reads standard input, and answers once, whether or not its client ever closes that. */
export async function answerHook(words: readonly string[], load: LoadParts): Promise<Answered> {
  let isReading = false;
  const answer = await hookAnswer(words, load, async () => {
    isReading = true;
    return readInput().finally(() => (isReading = false));
  });
  writeAll(2, answer.stderr);
  writeAll(1, answer.stdout);
  if (isReading) endAtOnce(answer.exitCode);
  return { exitCode: answer.exitCode };
}

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
  const { answer } = await runInTime(line, payload, partsOf(load));
  return line.marked === true ? { ...answer, stdout: MARK + answer.stdout } : answer;
}

/** What a hook comes to, and a denial where it takes too long; then what it began goes on, and is nobody's business. */
async function runInTime(
  line: HookLine,
  payload: () => Promise<string>,
  parts: HookParts,
): Promise<Pick<HookRun, "answer">> {
  const late = Promise.withResolvers<Pick<HookRun, "answer">>();
  const timer = setTimeout(() => {
    const why = new Error(`it took longer than ${LONGEST_MS / 1000} s`);
    late.resolve({ answer: failedAnswer(agentNamed(line.agent), why, line) });
  }, LONGEST_MS);
  try {
    return await Promise.race([runHook(line, payload, parts), late.promise]);
  } finally {
    clearTimeout(timer);
  }
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

/** At once and in full, whatever the pipe takes. */
function writeAll(to: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) {
    try {
      done += writeSync(to, bytes, done);
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      // Nobody reads it.
      if (code !== "EAGAIN") return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

/**
 * Ends this program although it still waits for its input: a thread that reads keeps `process.exit()` waiting for as long as nothing
 * comes. So another program takes its place, and ends with the same code.
 */
function endAtOnce(exitCode: number): never {
  if (process.platform !== "win32" && process.execve !== undefined)
    process.execve("/bin/sh", ["sh", "-c", `exit ${exitCode}`], {});
  // What is installed takes this for a denial, too.
  process.kill(process.pid, "SIGKILL");
  throw new Error("this process was to end");
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
