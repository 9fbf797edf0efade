import { startTimer } from "./timer.ts";

/**
 * Returns whether a value has a method `then`, like a promise.
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
 * Returns a function that loads a value once and returns the same promise afterwards. After a failure, the next call loads again.
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
 * The part of an `AbortController` that calls and sessions use. The global type needs the types of Node or browsers.
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
  /** Aborts with {@link abort}. */
  readonly signal: AbortSignal;
  /** Aborts the signal. @param reason the value of rejections */
  abort(reason?: unknown): void;
}

/**
 * Waits for a promise until the signal aborts; then it rejects with the signal's reason. The work itself continues. Without a signal, it
 * only waits.
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
  /** Makes the error for late work. Without it, the result is then `undefined`. */
  error?: (() => Error) | undefined;
  /** Ends the wait early: the call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Lets the process end during the wait. Default false. */
  unref?: boolean | undefined;
}

/** A promise, or a function that starts the work. The signal aborts if the wait ends first. */
export type Work<T> = PromiseLike<T> | ((signal: AbortSignal) => T | PromiseLike<T>);

/**
 * Waits for work, but at most `limitMs` milliseconds. It ignores a later result or failure.
 *
 * @returns the result of the work; `undefined` if it is late and `options` has no `error`
 * @throws the error of `options.error` for late work, the reason of `options.signal`, or the error of the work
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
/** Resolves to `undefined` after the time. */
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
