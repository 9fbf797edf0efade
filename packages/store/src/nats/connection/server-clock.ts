import { uptime } from "node:os";

/** Tolerated network delays between two readings, in milliseconds. */
const TOLERANCE_MS = 1_000;

/** Monotonic milliseconds that include sleep. */
export const bootClock = (): number => uptime() * 1000;

/**
 * Tracks the server's time, which decides expiry on all hosts. Each new consumer returns it; uptime advances it in between.
 */
export class ServerClock {
  readonly #clock: () => number;
  #server = 0;
  #at = Number.NEGATIVE_INFINITY;
  #latest = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  ticks(): number {
    return this.#clock();
  }

  sync(time: string, sentAt: number): void {
    const now = this.#clock();
    this.#server = Date.parse(time);
    this.#at = (sentAt + now) / 2;
  }

  get age(): number {
    return this.#clock() - this.#at;
  }

  /** Returns epoch milliseconds. Ignores small corrections backwards, so that expired data stays expired. */
  now(): number {
    const now = this.#server + this.#clock() - this.#at;
    const isLate = now < this.#latest && now > this.#latest - TOLERANCE_MS;
    if (!isLate) this.#latest = now;
    return this.#latest;
  }
}
