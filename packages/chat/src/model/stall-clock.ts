import { chatError } from "../errors.ts";

/** Ends the waiting for an endpoint that says nothing. */
export class StallClock {
  readonly #ms: number;
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param ms milliseconds without a word */
  constructor(ms: number) {
    this.#ms = ms;
    this.restart();
  }

  /** Aborts with `MODEL_FAILED`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#stalled(), this.#ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #stalled(): void {
    const seconds = Math.round(this.#ms / 1_000);
    const span = seconds < 1 ? `${this.#ms} ms` : `${seconds} s`;
    this.#controller.abort(
      chatError("MODEL_FAILED", `The endpoint of the model said nothing for ${span}.`, {
        details: { reason: "stalled" },
        fix: "Say it again, or give it more time with --timeout.",
      }),
    );
  }
}
