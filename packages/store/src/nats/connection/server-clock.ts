import { uptime } from "node:os";

/** Tolerated difference between two readings, due to network delays, in milliseconds. */
const TOLERANCE_MS = 1_000;

/** Monotonic milliseconds that include sleep. */
export const bootClock = (): number => uptime() * 1000;

/**
 * Tracks the server's time, which decides expiry on all hosts: clocks of hosts are never compared. Each new consumer returns the time; in
 * between, uptime advances it.
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

  /** Milliseconds since the epoch. A small correction backwards is ignored, so that expired data stays expired. */
  now(): number {
    const now = this.#server + this.#clock() - this.#at;
    // A larger difference means that the server's clock was reset.
    const isLate = now < this.#latest && now > this.#latest - TOLERANCE_MS;
    if (!isLate) this.#latest = now;
    return this.#latest;
  }
}
