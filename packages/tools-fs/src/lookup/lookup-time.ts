import { LOOKUP_MS } from "../defaults.ts";

/** Share of the time for walking folders. The rest remains for searching. */
const WALK_SHARE = 2 / 3;
const LEAST_MS = 500;

/** Ends a lookup: immediately after an abort, gracefully at the time limit. */
export class LookupTime {
  readonly signal: AbortSignal;
  readonly limitMs: number;
  private readonly end: number;
  /** One listener serves the whole walk, because listeners are expensive. */
  private readonly waiting = new Set<() => void>();

  constructor(signal: AbortSignal, limitMs: number = LOOKUP_MS) {
    this.signal = signal;
    this.limitMs = limitMs;
    this.end = performance.now() + limitMs;
    const notify = (): void => this.waiting.forEach((one) => one());
    signal.addEventListener("abort", notify, { once: true });
  }

  get leftMs(): number {
    return this.end - performance.now();
  }

  forWalk(): LookupTime {
    return new LookupTime(this.signal, this.limitMs * WALK_SHARE);
  }

  /** @throws the reason of the signal */
  isExpired(): boolean {
    this.signal.throwIfAborted();
    return this.leftMs <= 0;
  }

  /** Includes a minimum time, for work that must not end without a result. @throws the reason of the signal */
  isGraceExpired(): boolean {
    return this.isExpired() && this.leftMs <= -LOOKUP_MS;
  }

  /**
   * Returns the result, or `undefined` after the time limit.
   *
   * @throws the reason of the signal
   */
  waitFor<T>(answer: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        end();
        reject(this.signal.reason as Error);
      };
      const onEnd = (): void => {
        end();
        resolve(undefined);
      };
      const end = (): void => {
        clearTimeout(timer);
        this.waiting.delete(onAbort);
      };
      const timer = setTimeout(onEnd, Math.max(LEAST_MS, this.leftMs));
      this.waiting.add(onAbort);
      if (this.signal.aborted) onAbort();
      answer.then(resolve, reject).finally(end);
    });
  }
}
