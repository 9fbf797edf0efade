import { uptimeMs } from "@haft/system";

const TICK_MS = 200;

/**
 * How long a message may have waited in this process before anybody looked: while the program was stopped, the machine slept
 * or other work held it up. By a clock of this machine that counts sleep.
 */
export class StallClock {
  readonly #timer: ReturnType<typeof setInterval>;
  #tickAt = uptimeMs();
  #dateAt = Date.now();
  /** The last long gap, and until when what comes may have waited through it. */
  #gapMs = 0;
  #gapUntil = 0;

  constructor() {
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** Milliseconds, never too few: none of a call that waited counts as left. */
  waitedMs(): number {
    // Only whether it is worth asking: a date may be set, and the clock that counts sleep takes longer to read than a message.
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
