import { messageOf } from "@haft/core";
import { agentNamed, type HookAnswer } from "@haft/guard";
import { writeSync } from "node:fs";
import { endAtOnce } from "./end-at-once.ts";
import { readHookLine } from "./hook-line.ts";
import { readInput } from "./read-input.ts";
import { failedAnswer, type HookLine, type HookParts, runHook } from "./run-hook.ts";

/** Milliseconds a hook takes at most: agents wait ten seconds or more, and take silence for consent. */
const LONGEST_MS = 8_000;

/**
 * One run of a hook: reads standard input, and answers once, whether or not its client ever closes that. Never ends with 1, which agents take for a hook that failed, and run
 * the call.
 *
 * @returns the exit code
 */
export async function answerHook(words: readonly string[], load: () => Promise<HookParts>): Promise<number> {
  let line: HookLine;
  try {
    line = readHookLine(words);
    agentNamed(line.agent);
  } catch (thrown) {
    return write({ stdout: "", stderr: `Haft denies this call: ${messageOf(thrown)}.\n`, exitCode: 2 });
  }
  const late = Promise.withResolvers<HookAnswer>();
  const timer = setTimeout(() => {
    const why = new Error(`it took longer than ${LONGEST_MS / 1000} s`);
    late.resolve(failedAnswer(agentNamed(line.agent), why, line));
  }, LONGEST_MS);
  const parts: HookParts = {
    readRules: async (...args) => (await load()).readRules(...args),
    isOwnServer: async () => (await load()).isOwnServer(),
    lookAbove: async () => (await load()).lookAbove(),
    openApprovals: async () => (await load()).openApprovals(),
    writeDown: async (...args) => (await load()).writeDown(...args),
  };
  let isReading = true;
  const input = async () => readInput().finally(() => (isReading = false));
  const run = runHook(line, input, parts).then(({ answer }) => answer);
  const answer = await Promise.race([run, late.promise]);
  clearTimeout(timer);
  const exitCode = write(answer);
  if (isReading) endAtOnce(exitCode);
  return exitCode;
}

/** At once and in full, whatever the pipe takes. */
function write({ stdout, stderr, exitCode }: HookAnswer): number {
  writeAll(2, stderr);
  writeAll(1, stdout);
  return exitCode;
}

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
