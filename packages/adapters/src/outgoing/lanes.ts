/** Calls of one bridge that run at the same moment. What waits costs nothing; what runs holds files and processes. */
const MAX_CONCURRENT = 16;

/**
 * Keeps the order of a model's calls where it matters: what may change something runs alone, after all that came before it and
 * before all that comes after it. What lies between two of these runs at once.
 */
export class Lanes {
  /** Ends with the last one that runs alone. */
  #barrier: Promise<unknown> = Promise.resolve();
  /** What came since, and has not ended. */
  readonly #since = new Set<Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /**
   * Runs something when its turn has come.
   *
   * @param signal aborted, it does not wait for its turn: nothing comes of the call but its answer
   */
  run<T>(alone: boolean, signal: AbortSignal | undefined, body: () => Promise<T>): Promise<T> {
    const before = alone ? Promise.all([this.#barrier, ...this.#since]) : this.#barrier;
    const ended = this.#inTurn(before, signal, body);
    // Whoever comes later waits for the end, however that was.
    const over: Promise<void> = ended.then(
      () => void this.#since.delete(over),
      () => void this.#since.delete(over),
    );
    if (alone) {
      // One that was aborted has not waited: those before it may still run.
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
    // One that was aborted got no place from another: it is one more for the moment that its answer takes.
    if (at >= 0) {
      this.#waiting.splice(at, 1);
      this.#running++;
    }
  }

  /** The next one gets the place. */
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
