import { uptime } from "node:os";

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

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Milliseconds of this machine's clock. */
  ticks(): number {
    return this.#clock();
  }

  /** The server said its time in an answer to what was asked then. */
  hear(time: string, asked: number): void {
    const now = this.#clock();
    this.#server = Date.parse(time);
    this.#at = (asked + now) / 2;
  }

  /** Since it was told. */
  get age(): number {
    return this.#clock() - this.#at;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#server + this.#clock() - this.#at;
  }
}
