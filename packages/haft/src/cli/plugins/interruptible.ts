import { untilSignal } from "../call/until-signal.ts";
import { tellError } from "../tell-error.ts";

/**
 * Runs what Ctrl-C gives up: what was begun is undone before the process ends. A second one ends it at once.
 *
 * @param work resolves to the exit code
 * @returns that, or the one of a process that a signal ended
 */
export async function interruptible(
  asJson: boolean | undefined,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const until = untilSignal();
  try {
    return await work(until.signal);
  } catch (thrown) {
    const code = until.code();
    if (code === undefined) throw thrown;
    tellError(thrown, asJson ?? false);
    return code;
  } finally {
    until.end();
  }
}
