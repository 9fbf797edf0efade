import type { Readable, Writable } from "node:stream";

export interface LivenessLimits {
  answerMs: number;
  silentMs: number;
}

/** After this many checks, a silent runner counts as halted. */
const CHECKS = 5;
/** After this many silent checks, a ping is sent. */
const PING_AFTER = 2;

/** Counts checks, not time, so that a busy host does not shorten the limit. */
export class Heartbeat {
  readonly #silentMs: number;
  readonly #ping: () => void;
  readonly #halted: (why: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #quiet = 0;

  /** @param ask sends a call that is answered at once */
  constructor(
    { input, output }: { input: Writable; output: Readable },
    silentMs: number,
    ping: () => void,
    halted: (why: string) => void,
  ) {
    this.#silentMs = silentMs;
    this.#ping = ping;
    this.#halted = halted;
    const alive = (): void => void (this.#quiet = 0);
    output.on("data", alive);
    input.on("drain", alive);
  }

  watch(owes: boolean): void {
    clearInterval(this.#timer);
    this.#quiet = 0;
    this.#timer = owes ? setInterval(() => this.#check(), this.#silentMs / CHECKS) : undefined;
  }

  #check(): void {
    this.#quiet += 1;
    if (this.#quiet === PING_AFTER) this.#ping();
    if (this.#quiet < CHECKS) return;
    setImmediate(() => {
      if (this.#timer !== undefined && this.#quiet >= CHECKS)
        this.#halted(`it was silent for ${this.#silentMs} ms`);
    });
  }
}
