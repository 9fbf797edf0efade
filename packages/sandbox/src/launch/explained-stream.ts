import { Duplex, type Readable, type Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

const REASON_MS = 10_000;

/** Joins both streams to a runner. Pending operations fail with the reason of the end, if known. */
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

  /** Resolves with false if the stream ends first. */
  get answered(): Promise<boolean> {
    return this.#answered.promise;
  }

  explainEnd(why: () => Promise<string | undefined>): void {
    this.#why ??= why;
  }

  finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    void this.#report();
  }

  /** Calls `force` after `ms`, or at once if the stream was destroyed. */
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

  async #report(): Promise<void> {
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

  #write(bytes: Buffer, done: () => void): void {
    this.#to.write(bytes, (error) => {
      if (error !== undefined && error !== null) this.finish();
      done();
    });
  }
}
