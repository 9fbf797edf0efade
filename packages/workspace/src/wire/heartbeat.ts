import type { Readable, Writable } from "node:stream";

export interface LivenessLimits {
  answerMs: number;
  silentMs: number;
}

/** After this many checks, a silent runner counts as halted. */
const LOOKS = 5;
/** After this many silent checks, a ping is sent. */
const ASKED_AFTER = 2;

/** Counts checks, not time, so that a busy host does not shorten the limit. */
export class Heartbeat {
  readonly #silentMs: number;
  readonly #ask: () => void;
  readonly #halted: (why: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #quiet = 0;

  /** @param ask sends a call that is answered at once */
  constructor(
    { input, output }: { input: Writable; output: Readable },
    silentMs: number,
    ask: () => void,
    halted: (why: string) => void,
  ) {
    this.#silentMs = silentMs;
    this.#ask = ask;
    this.#halted = halted;
    const alive = (): void => void (this.#quiet = 0);
    output.on("data", alive);
    input.on("drain", alive);
  }

  /** While an answer is due, the program stays running. */
  watch(owes: boolean): void {
    clearInterval(this.#timer);
    this.#quiet = 0;
    this.#timer = owes ? setInterval(() => this.#look(), this.#silentMs / LOOKS) : undefined;
  }

  #look(): void {
    this.#quiet += 1;
    if (this.#quiet === ASKED_AFTER) this.#ask();
    if (this.#quiet < LOOKS) return;
    setImmediate(() => {
      if (this.#timer !== undefined && this.#quiet >= LOOKS)
        this.#halted(`it has given no sign of life for ${this.#silentMs} ms`);
    });
  }
}
