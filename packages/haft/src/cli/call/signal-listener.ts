import { constants } from "node:os";
import { reportError } from "../report-error.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface SignalListener {
  signal: AbortSignal;
  /** What a process that such a signal ends has for its exit code; `undefined` when none came. */
  code(): number | undefined;
  end(): void;
}

/**
 * The first Ctrl-C, SIGTERM or end of the terminal aborts, so that what was begun is ended and told; the second Ctrl-C ends the
 * process.
 */
export function listenForSignals(): SignalListener {
  const leaving = new AbortController();
  let code: number | undefined;
  const leave = (name: NodeJS.Signals): void => {
    const isFirst = code === undefined;
    code ??= 128 + constants.signals[name];
    if (!isFirst && name === "SIGINT") process.exit(code);
    leaving.abort(`${name === "SIGINT" ? "Ctrl-C" : name} ended it.`);
  };
  for (const name of SIGNALS) process.on(name, leave);
  return {
    signal: leaving.signal,
    code: () => code,
    end() {
      for (const name of SIGNALS) process.off(name, leave);
    },
  };
}

/**
 * Runs what Ctrl-C gives up: what was begun is undone before the process ends. A second one ends it at once.
 *
 * @param work resolves to the exit code
 * @returns that, or the one of a process that a signal ended
 */
export async function runInterruptible(
  asJson: boolean | undefined,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const until = listenForSignals();
  try {
    return await work(until.signal);
  } catch (thrown) {
    const code = until.code();
    if (code === undefined) throw thrown;
    reportError(thrown, asJson ?? false);
    return code;
  } finally {
    until.end();
  }
}

export function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
