import { writeSync } from "node:fs";
import { hookAnswer, type LoadHookModules } from "./hook-answer.ts";
import { readInput } from "./read-input.ts";

export interface HookResult {
  /** Agents treat 1 as a failed hook and run the call. */
  exitCode: number;
}

/**
 * Runs a hook once, even if the agent never closes standard input.
 *
 * @param words The arguments of the program.
 *
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

function writeAll(to: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) {
    try {
      done += writeSync(to, bytes, done);
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      // The reader has closed the pipe.
      if (code !== "EAGAIN") return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

/** A thread that reads standard input blocks `process.exit()`, so another program replaces this process. */
function endAtOnce(exitCode: number): never {
  if (process.platform !== "win32" && process.execve !== undefined)
    process.execve("/bin/sh", ["sh", "-c", `exit ${exitCode}`], {});
  // The installed line treats this as a denial.
  process.kill(process.pid, "SIGKILL");
  throw new Error("this process should have ended");
}
