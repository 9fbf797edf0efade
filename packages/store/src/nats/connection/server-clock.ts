import { uptime } from "node:os";

/** How far two tellings of the time differ at most, in milliseconds, because they were heard sooner or later. */
const HEARD_MS = 1_000;

/** Milliseconds of a clock of this machine that is never set, and counts sleep. */
export const bootClock = (): number => uptime() * 1000;

/**
 * The time of the server, by which all hosts judge what is over: clocks of two hosts are never compared. It is told with
 * each consumer that is made, and goes on by this machine's uptime.
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

  sync(time: string, asked: number): void {
    const now = this.#clock();
    this.#server = Date.parse(time);
    this.#at = (asked + now) / 2;
  }

  get age(): number {
    return this.#clock() - this.#at;
  }

  /** Milliseconds since the epoch. What is over is not open again because the time was told anew. */
  now(): number {
    const now = this.#server + this.#clock() - this.#at;
    // Somebody may have set the server's clock back for good.
    const isLate = now < this.#latest && now > this.#latest - HEARD_MS;
    if (!isLate) this.#latest = now;
    return this.#latest;
  }
}
