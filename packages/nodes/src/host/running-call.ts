import type { HaftError } from "@haft/core";

/** A call that is under way: taken back by whoever made it, or given up at once because its node may not be used any more. */
export class RunningCall {
  readonly abandoned: Promise<never>;
  readonly abandon: (reason: HaftError) => void;
  readonly done: () => void;
  /** Of what goes on after it was opened: ends it, and resolves when its node has said that it is gone, or says nothing. */
  onAbandoned: ((reason: HaftError) => Promise<void>) | undefined;
  ended: Promise<void> = Promise.resolve();
  readonly #controller = new AbortController();

  constructor(outer: AbortSignal | undefined, onDone: () => void) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.abandoned = promise;
    const abort = () => this.#controller.abort(outer?.reason);
    if (outer?.aborted === true) abort();
    outer?.addEventListener("abort", abort, { once: true });
    this.abandon = (reason) => {
      reject(reason);
      if (this.onAbandoned !== undefined) this.ended = this.onAbandoned(reason);
      this.#controller.abort(reason);
    };
    this.done = () => {
      outer?.removeEventListener("abort", abort);
      onDone();
    };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }
}
