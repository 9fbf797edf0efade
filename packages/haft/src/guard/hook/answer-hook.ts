import { messageOf } from "@haft/core";
import { agentNamed, type HookAnswer } from "@haft/guard";
import { writeSync } from "node:fs";
import { endAtOnce } from "./end-at-once.ts";
import { readHookLine } from "./hook-line.ts";
import { MARK } from "./hook-words.ts";
import { readInput } from "./read-input.ts";
import { failedAnswer, type HookLine, type HookParts, type HookRun, runHook } from "./run-hook.ts";

/** Milliseconds a hook takes at most: agents wait ten seconds or more, and take silence for consent. */
const LONGEST_MS = 8_000;

/** What is only loaded where it is needed, by a module that is only loaded then. */
export type LoadParts = () => Promise<HookParts>;

/** What a run of a hook came to. */
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

/** What a hook with these words answers to a payload, as it is written. */
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

/** Loads them when the first of them is needed. */
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
