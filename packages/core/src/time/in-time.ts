import { startTimer } from "./timer.ts";

/** How long code that is not the kernel's is waited for. */
export interface Patience {
  /** Milliseconds. */
  limitMs: number;
  /** What it is rejected with afterwards. */
  late: () => Error;
  /** Ends the waiting, too. */
  signal?: AbortSignal;
  /** The process need not stay for it. */
  unref?: boolean;
}

/**
 * Runs foreign code and waits for it, but not forever. Whatever it does, this settles once: one that throws
 * at once rejects, and one that is late is told so by its signal and not heard any more.
 */
export async function inTime<T>(
  run: (signal: AbortSignal) => T | Promise<T>,
  { limitMs, late, signal: outer, unref = false }: Patience,
): Promise<T> {
  const controller = new AbortController();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (reason: unknown) => {
    controller.abort(reason);
    reject(reason);
  };
  const onAbort = () => stop(new Error("the call was aborted"));
  if (outer?.aborted === true) throw new Error("the call was aborted");
  outer?.addEventListener("abort", onAbort);
  const timer = startTimer(() => stop(late()), limitMs);
  if (unref) timer.unref();
  try {
    return await Promise.race([start(run, controller.signal), stopped]);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", onAbort);
  }
}

/** What throws at once rejects instead. */
async function start<T>(run: (signal: AbortSignal) => T | Promise<T>, signal: AbortSignal): Promise<T> {
  return run(signal);
}
