import { startTimer } from "./timer.ts";

export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/**
 * Returns a function that loads a value on its first call and returns the same promise afterwards. After a failure the
 * next call loads again.
 *
 * @example
 * const engine = lazy(() => import("./engine.ts"));
 * const { run } = await engine();
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

/** The part of an `AbortController` that calls and sessions use. The global type is missing without the types of Node or browsers. */
export interface AbortHandle {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/** Waits for a promise until the signal comes; then rejects with its reason. */
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

export interface TimeoutOptions {
  /** Makes the error for a work that is late. Without it the result is `undefined`. */
  error?: (() => Error) | undefined;
  /** Ends the waiting early, with its reason. */
  signal?: AbortSignal | undefined;
  /** Lets the process end meanwhile. Default false. */
  unref?: boolean | undefined;
}

/** A promise, or a function that starts the work. The signal tells it when nobody waits any more. */
type Work<T> = PromiseLike<T> | ((signal: AbortSignal) => T | PromiseLike<T>);

/** Waits for a work, but at most `limitMs` milliseconds. A later result or failure is ignored. */
export function withTimeout<T>(
  work: Work<T>,
  limitMs: number,
  options: TimeoutOptions & { error: () => Error },
): Promise<T>;
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
