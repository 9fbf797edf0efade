import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { ExplainedStream } from "./explained-stream.ts";

/** Standard input and output of a child as one stream. */
export class ChildStream extends ExplainedStream {
  readonly #child: ChildProcessWithoutNullStreams;
  /** Resolves when the child says something, false when it never will. */
  readonly answered: Promise<boolean>;

  constructor(child: ChildProcessWithoutNullStreams) {
    super();
    this.#child = child;
    const answered = Promise.withResolvers<boolean>();
    this.answered = answered.promise;
    child.stdin.on("error", () => {});
    child.stdout.on("data", (bytes: Buffer) => {
      answered.resolve(true);
      if (!this.push(bytes)) child.stdout.pause();
    });
    const end = (): void => {
      answered.resolve(false);
      this.finish();
    };
    child.stdout.once("end", end);
    child.stdout.once("error", end);
  }

  override _read(): void {
    this.#child.stdout.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#child.stdin.write(chunk, this.written(done));
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#child.stdin.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), this.written(done));
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#child.stdin.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#child.stdin.destroy();
    this.#child.stdout.destroy();
    done(error);
  }
}
