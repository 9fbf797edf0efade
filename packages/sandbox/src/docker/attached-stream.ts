import type { Socket } from "node:net";
import { Duplex } from "node:stream";

const HEADER = 8;
const STDERR = 2;
/** Kept of what a runner says before it dies. */
const MAX_COMPLAINT = 4_000;

/**
 * The streams of a container as one: what is written goes to its standard input, what is read is its standard
 * output. The Engine sends both outputs in frames of `[stream, 0, 0, 0, length as 32 bits big-endian]`.
 */
export class AttachedStream extends Duplex {
  readonly #socket: Socket;
  /** Resolves when the container says something, false when it never will. */
  readonly spoken: Promise<boolean>;
  readonly #spoken = Promise.withResolvers<boolean>();
  #header = Buffer.alloc(0);
  #left = 0;
  #stream = 0;
  #complaint = "";

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    this.spoken = this.#spoken.promise;
    socket.on("data", (bytes: Buffer) => this.#take(bytes));
    const end = (): void => {
      this.#spoken.resolve(false);
      this.push(null);
    };
    socket.once("end", end);
    socket.once("close", end);
    socket.on("error", end);
  }

  /** The end of what it said on standard error. */
  get complaint(): string {
    return this.#complaint;
  }

  #take(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0) {
      if (this.#left === 0) {
        const missing = HEADER - this.#header.length;
        this.#header = Buffer.concat([this.#header, rest.subarray(0, missing)]);
        rest = rest.subarray(missing);
        if (this.#header.length < HEADER) return;
        this.#stream = this.#header[0]!;
        this.#left = this.#header.readUInt32BE(4);
        this.#header = Buffer.alloc(0);
        continue;
      }
      const part = rest.subarray(0, this.#left);
      rest = rest.subarray(part.length);
      this.#left -= part.length;
      if (this.#stream === STDERR) {
        this.#complaint = (this.#complaint + part.toString()).slice(-MAX_COMPLAINT);
      } else {
        this.#spoken.resolve(true);
        if (!this.push(part)) this.#socket.pause();
      }
    }
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
