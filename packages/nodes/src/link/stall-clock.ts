import { uptimeMs } from "@haft/system";

const TICK_MS = 200;

/** Estimates a message's wait in this process during a stop, sleep or blocked event loop, by a clock that counts sleep. */
export class StallClock {
  readonly #timer: ReturnType<typeof setInterval>;
  #tickAt = uptimeMs();
  #dateAt = Date.now();
  /** The last long gap, and the end of its effect. */
  #gapMs = 0;
  #gapUntil = 0;

  constructor() {
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** Milliseconds, never too few: expired calls must not run. */
  waitedMs(): number {
    // A fast pre-check: dates may change, but the other clock is slower than a message.
    const since = Date.now() - this.#dateAt;
    if (since >= 0 && since <= 2 * TICK_MS && this.#gapMs === 0) return 0;
    const now = uptimeMs();
    const sinceTick = now - this.#tickAt;
    const current = sinceTick > 2 * TICK_MS ? sinceTick : 0;
    return Math.max(current, now < this.#gapUntil ? this.#gapMs : 0);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const now = uptimeMs();
    const gap = now - this.#tickAt;
    this.#tickAt = now;
    this.#dateAt = Date.now();
    if (now >= this.#gapUntil) this.#gapMs = 0;
    if (gap <= 2 * TICK_MS) return;
    this.#gapMs = gap;
    this.#gapUntil = now + TICK_MS;
  }
}
