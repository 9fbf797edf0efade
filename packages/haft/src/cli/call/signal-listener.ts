import { constants } from "node:os";
import { reportError } from "../report-error.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface SignalListener {
  signal: AbortSignal;
  code(): number | undefined;
  end(): void;
}

/** Aborts at the first SIGINT, SIGTERM or SIGHUP, to end and report work. A second Ctrl-C exits immediately. */
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

/** The work undoes its steps when a signal aborts it. */
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
    if (thrown === until.signal.reason) console.error(`haft: ${String(thrown)}`);
    else reportError(thrown, asJson ?? false);
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
