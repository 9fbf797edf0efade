import { startTimer } from "./timer.ts";

/**
 * Returns whether a value has a method `then`, so that it can be awaited. Promises of other libraries count as well.
 *
 * @example
 * ```ts run
 * import { isThenable } from "@haft/utils";
 * isThenable(Promise.resolve(1)); // => true
 * isThenable("text"); // => false
 * ```
 */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/**
 * Returns a function that loads a value on its first call and returns the same promise afterwards. After a failure the
 * next call loads again.
 *
 * @example
 * ```ts
 * import { lazy } from "@haft/utils";
 * const loadZlib = lazy(() => import("node:zlib"));
 * const { gzipSync } = await loadZlib();
 * ```
 */
export function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    if (loading === undefined) {
      const current = load();
      loading = current;
      current.catch(() => {
        if (loading === current) loading = undefined;
      });
    }
    return loading;
  };
}

/**
 * The part of an `AbortController` that calls and sessions use. The global type is missing without the types of Node or browsers.
 *
 * @example
 * ```ts
 * import type { AbortHandle } from "@haft/utils";
 * const handle: AbortHandle = new AbortController();
 * handle.signal.addEventListener("abort", () => console.log("stopped:", handle.signal.reason));
 * handle.abort("The user pressed Ctrl+C.");
 * ```
 */
export interface AbortHandle {
  /** Aborts when {@link abort} is called. */
  readonly signal: AbortSignal;
  /** Aborts the signal. @param reason the value that work rejects with */
  abort(reason?: unknown): void;
}

/**
 * Waits for a promise until the signal is aborted. Then it rejects with the reason of the signal, and ignores what the promise
 * does later. The work behind the promise goes on. Without a signal it waits for the promise alone.
 *
 * @example
 * ```ts
 * import { untilAborted } from "@haft/utils";
 * const stop = new AbortController();
 * process.once("SIGINT", () => stop.abort(new Error("interrupted")));
 * const page = await untilAborted(fetch("https://example.com"), stop.signal);
 * ```
 */
export async function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason as Error);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Options of {@link withTimeout}. */
export interface TimeoutOptions {
  /** Makes the error with which a late work is rejected. Without it the result of a late work is `undefined`. */
  error?: (() => Error) | undefined;
  /** Ends the wait early: the call then rejects with the reason of this signal. */
  signal?: AbortSignal | undefined;
  /** Lets the process end during the wait. Default false. */
  unref?: boolean | undefined;
}

/** A promise, or a function that starts the work. The signal tells it when nobody waits any more. */
export type Work<T> = PromiseLike<T> | ((signal: AbortSignal) => T | PromiseLike<T>);

/**
 * Waits for a work, but at most `limitMs` milliseconds. A later result or failure is ignored. The work is a promise, or a function
 * that starts it. The function receives a signal, which is aborted when nobody waits any more.
 *
 * @returns the result of the work; `undefined` when it is late and `options` has no `error`
 * @throws the error of `options.error` when the work is late, the reason of `options.signal`, or the error of the work
 * @example
 * ```ts run
 * import { withTimeout } from "@haft/utils";
 * const late = await withTimeout(new Promise(() => {}), 5); // => undefined
 * const done = await withTimeout(async () => "ready", 1000, { error: () => new Error("too late") }); // => "ready"
 * ```
 */
export function withTimeout<T>(
  work: Work<T>,
  limitMs: number,
  options: TimeoutOptions & { error: () => Error },
): Promise<T>;
/** The same, for a result that is `undefined` after the time. */
export function withTimeout<T>(
  work: Work<T>,
  limitMs: number,
  options?: TimeoutOptions,
): Promise<T | undefined>;
export async function withTimeout<T>(
  work: Work<T>,
  limitMs: number,
  { error, signal, unref = false }: TimeoutOptions = {},
): Promise<T | undefined> {
  const stopped = Promise.withResolvers<undefined>();
  const stop = typeof work === "function" ? new AbortController() : undefined;
  const onAbort = () => {
    stop?.abort(signal?.reason);
    stopped.reject(signal?.reason as Error);
  };
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  const timer = startTimer(() => {
    const late = error?.();
    stop?.abort(late);
    if (late === undefined) stopped.resolve(undefined);
    else stopped.reject(late);
  }, limitMs);
  if (unref) timer.unref();
  try {
    if (typeof work !== "function") return await Promise.race([work, stopped.promise]);
    if (stop!.signal.aborted) return await stopped.promise;
    return await Promise.race([start(work, stop!.signal), stopped.promise]);
  } finally {
    timer.stop();
    signal?.removeEventListener("abort", onAbort);
  }
}

async function start<T>(work: (signal: AbortSignal) => T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return work(signal);
}
