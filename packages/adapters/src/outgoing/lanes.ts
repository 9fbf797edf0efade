/** Limits concurrent calls of one bridge, which hold files and processes. */
const MAX_CONCURRENT = 16;

/** Calls that may change something run alone, after all earlier and before all later calls. Calls between two of them run concurrently. */
export class Lanes {
  /** Resolves after the last call that runs alone. */
  #barrier: Promise<unknown> = Promise.resolve();
  /** Unfinished calls since then. */
  readonly #since = new Set<Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param signal an aborted call does not wait for its turn, because it only returns its outcome */
  run<T>(alone: boolean, signal: AbortSignal | undefined, body: () => Promise<T>): Promise<T> {
    const before = alone ? Promise.all([this.#barrier, ...this.#since]) : this.#barrier;
    const ended = this.#inTurn(before, signal, body);
    // Later calls wait for the end, also of a failed call.
    const over: Promise<void> = ended.then(
      () => void this.#since.delete(over),
      () => void this.#since.delete(over),
    );
    if (alone) {
      // An aborted call has not waited, so earlier calls may still run.
      this.#barrier = Promise.all([before, over]);
      this.#since.clear();
    } else this.#since.add(over);
    return ended;
  }

  async #inTurn<T>(before: Promise<unknown>, signal: AbortSignal | undefined, body: () => Promise<T>) {
    const aborted = signal && abortOf(signal);
    try {
      await (aborted === undefined ? before : Promise.race([before, aborted.promise]));
      if (signal?.aborted) return await body();
      await this.#takePlace(aborted?.promise);
      try {
        return await body();
      } finally {
        this.#leave();
      }
    } finally {
      aborted?.forget();
    }
  }

  async #takePlace(aborted: Promise<void> | undefined): Promise<void> {
    if (this.#running < MAX_CONCURRENT) {
      this.#running++;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    await (aborted === undefined ? promise : Promise.race([promise, aborted]));
    const at = this.#waiting.indexOf(resolve);
    // An aborted call got no place from another, so it briefly exceeds the limit.
    if (at >= 0) {
      this.#waiting.splice(at, 1);
      this.#running++;
    }
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}

function abortOf(signal: AbortSignal): { promise: Promise<void>; forget: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const listener = () => resolve();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", listener, { once: true });
  return { promise, forget: () => signal.removeEventListener("abort", listener) };
}
