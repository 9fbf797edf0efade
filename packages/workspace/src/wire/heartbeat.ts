import type { Readable, Writable } from "node:stream";

/** How long a runner that is not trusted has, in milliseconds. */
export interface LivenessLimits {
  answerMs: number;
  silentMs: number;
}

/** How many times one is looked at before it counts as halted. */
const LOOKS = 5;
/** After so many looks without a sign of life, one is asked for. */
const ASKED_AFTER = 2;

/** Looks for signs of life: bytes, reads, answers. Counts looks and not time, so a late host gives others as long. */
export class Heartbeat {
  readonly #silentMs: number;
  readonly #ask: () => void;
  readonly #halted: (why: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #quiet = 0;

  /**
   * @param streams to it and from it
   * @param silentMs without any sign of life, after which `halted` is called
   * @param ask sends something that has to be answered at once
   */
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

  /** It owes an answer, and the program runs until that is there; or it owes none. */
  watch(owes: boolean): void {
    clearInterval(this.#timer);
    this.#quiet = 0;
    this.#timer = owes ? setInterval(() => this.#look(), this.#silentMs / LOOKS) : undefined;
  }

  #look(): void {
    this.#quiet += 1;
    if (this.#quiet === ASKED_AFTER) this.#ask();
    if (this.#quiet < LOOKS) return;
    // Not before what has arrived was looked at.
    setImmediate(() => {
      if (this.#timer !== undefined && this.#quiet >= LOOKS)
        this.#halted(`it has given no sign of life for ${this.#silentMs} ms`);
    });
  }
}
