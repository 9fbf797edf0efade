import { writeSync } from "node:fs";
import { hookAnswer, type LoadHookModules } from "./hook-answer.ts";
import { readInput } from "./read-input.ts";

export interface HookResult {
  /** The exit code for the process. It is never 1: agents take 1 for a hook that failed, and run the call. */
  exitCode: number;
}

/**
 * Runs a hook once: reads the payload from standard input, and writes one answer, also when the agent never closes standard input.
 *
 * @param words The arguments of the program.
 * @param load Loads what some hooks need.
 * @example
 * ```ts
 * import { answerHook } from "@haft/guard/internal/hook";
 * const load = async () => (await import("@haft/guard/internal/hook-modules")).lazyHookModules;
 * process.exitCode = (await answerHook(process.argv.slice(2), load)).exitCode;
 * ```
 */
export async function answerHook(words: readonly string[], load: LoadHookModules): Promise<HookResult> {
  let isReading = false;
  const { stdout, stderr, exitCode } = await hookAnswer(words, load, async () => {
    isReading = true;
    return readInput().finally(() => (isReading = false));
  });
  writeAll(2, stderr);
  writeAll(1, stdout);
  if (isReading) endAtOnce(exitCode);
  return { exitCode };
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
