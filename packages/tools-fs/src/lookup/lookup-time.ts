import { LOOKUP_MS } from "../defaults.ts";

/** Share of it after which no more folders are looked into, so that what was found in them can still be searched. */
const WALK_SHARE = 2 / 3;
/** What has begun gets this long, in milliseconds, however little was left. */
const LEAST_MS = 500;

/** Ends a lookup: at once when nobody wants it any more, and in good order when its time is up. */
export class LookupTime {
  readonly signal: AbortSignal;
  readonly limitMs: number;
  private readonly end: number;
  /** Told of an abort. One listener for all of a walk: each costs more than the look at a small folder. */
  private readonly waiting = new Set<() => void>();

  constructor(signal: AbortSignal, limitMs: number = LOOKUP_MS) {
    this.signal = signal;
    this.limitMs = limitMs;
    this.end = performance.now() + limitMs;
    const tell = (): void => this.waiting.forEach((one) => one());
    signal.addEventListener("abort", tell, { once: true });
  }

  /** Milliseconds that are left, 0 and less when there are none. */
  get leftMs(): number {
    return this.end - performance.now();
  }

  /** The same, for what has less time than the lookup as a whole. */
  forWalk(): LookupTime {
    return new LookupTime(this.signal, this.limitMs * WALK_SHARE);
  }

  /** @throws the reason of the signal */
  isExpired(): boolean {
    this.signal.throwIfAborted();
    return this.leftMs <= 0;
  }

  /** For what must not end before anything was done. @throws the reason of the signal */
  isGraceExpired(): boolean {
    return this.isExpired() && this.leftMs <= -LOOKUP_MS;
  }

  /**
   * What a workspace answers, or `undefined` when time was up before it did: it may be far away, or in other hands.
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
