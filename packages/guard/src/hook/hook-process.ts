import { writeSync } from "node:fs";
import { hookAnswer, type LoadHookModules } from "./hook-answer.ts";
import { readInput } from "./read-input.ts";

export interface HookResult {
  /** Never 1, which agents take for a hook that failed, and run the call. */
  exitCode: number;
}

/** One run of a hook: reads standard input, and answers once, whether or not its client ever closes that. */
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
