import { Duplex, type Readable, type Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

/** Limits the wait for a reason. */
const REASON_MS = 10_000;

/** Joins both streams to a runner. When the stream ends, pending operations fail with the reason, if it is known. */
export abstract class ExplainedStream extends Duplex {
  readonly #to: Writable;
  readonly #from: Readable;
  readonly #answered = Promise.withResolvers<boolean>();
  #finished = false;
  #why: (() => Promise<string | undefined>) | undefined;

  protected constructor(to: Writable, from: Readable) {
    super();
    this.#to = to;
    this.#from = from;
    to.on("error", () => {});
  }

  /** Resolves with true at the first answer, or false at the end without one. */
  get answered(): Promise<boolean> {
    return this.#answered.promise;
  }

  /** Delays the end of the stream until its reason is known. Without a reason the stream ends normally. */
  explainEnd(why: () => Promise<string | undefined>): void {
    this.#why ??= why;
  }

  finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    void this.#tell();
  }

  /** Ends the stream and waits for `ended`. Calls `force` after `ms`, or at once if the stream was destroyed. */
  async endWithin(ms: number, ended: Promise<unknown>, force: () => void): Promise<void> {
    const patienceMs = this.destroyed ? 0 : ms;
    this.end();
    this.resume();
    const timer = setTimeout(force, patienceMs);
    await ended;
    clearTimeout(timer);
  }

  protected receive(bytes: Buffer): void {
    this.#answered.resolve(true);
    if (!this.push(bytes)) this.#from.pause();
  }

  protected receiveEnd(): void {
    this.#answered.resolve(false);
    this.finish();
  }

  async #tell(): Promise<void> {
    const late = sleep(REASON_MS, undefined, { ref: false });
    const why = await Promise.race([this.#why?.().catch(() => undefined), late]);
    if (this.destroyed) return;
    if (why !== undefined) this.destroy(new Error(why));
    else if (!this.readableEnded) this.push(null);
  }

  override _read(): void {
    this.#from.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#write(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: () => void): void {
    this.#to.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#to.destroy();
    this.#from.destroy();
    done(error);
  }

  /** A failed write ends the stream with the reason. */
  #write(bytes: Buffer, done: () => void): void {
    this.#to.write(bytes, (error) => {
      if (error !== undefined && error !== null) this.finish();
      done();
    });
  }
}
