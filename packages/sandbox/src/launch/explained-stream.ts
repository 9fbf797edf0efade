import { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

/** A reason that has not come by then is not waited for any longer. */
const REASON_MS = 10_000;

/**
 * A stream to a runner that says why it has ended, when somebody can tell: what was under way fails with that, and not
 * with the first thing that went wrong on the way.
 */
export abstract class ExplainedStream extends Duplex {
  #finished = false;
  #why: (() => Promise<string | undefined>) | undefined;

  /** From now on its end is not told before there is a reason for it; without one it is an ordinary end. */
  explainEnd(why: () => Promise<string | undefined>): void {
    this.#why ??= why;
  }

  /** The other end is gone. May be called more than once. */
  finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    void this.#tell();
  }

  async #tell(): Promise<void> {
    const late = sleep(REASON_MS, undefined, { ref: false });
    const why = await Promise.race([this.#why?.().catch(() => undefined), late]);
    if (this.destroyed) return;
    if (why !== undefined) this.destroy(new Error(why));
    else if (!this.readableEnded) this.push(null);
  }

  /** A write that failed: nobody reads any more, and why is told as the end of the stream. */
  protected written(done: () => void): (error?: Error | null) => void {
    return (error) => {
      if (error !== undefined && error !== null) this.finish();
      done();
    };
  }
}
