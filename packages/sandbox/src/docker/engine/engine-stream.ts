import type { Socket } from "node:net";
import { MAX_STDERR } from "../../defaults.ts";
import { ExplainedStream } from "../../launch/explained-stream.ts";

const HEADER = 8;
const STDERR = 2;

/** Decodes frames of a stream number, three zeros and a big-endian length. Stores the end of stderr. */
export class EngineStream extends ExplainedStream {
  readonly #header = Buffer.alloc(HEADER);
  #filled = 0;
  #left = 0;
  #kind = 0;
  #hasSpoken = false;
  #refused = false;
  readonly #closed = Promise.withResolvers<void>();
  stderr = "";

  constructor(socket: Socket, head: Uint8Array) {
    super(socket, socket);
    socket.setNoDelay(true);
    socket.on("data", (bytes: Buffer) => this.#take(bytes));
    const end = (): void => {
      this.#closed.resolve();
      socket.destroy();
      this.receiveEnd();
    };
    socket.once("end", end);
    socket.once("close", end);
    // Readers get the error.
    this.on("error", () => {});
    if (head.length > 0) this.#take(Buffer.from(head));
  }

  get ended(): Promise<void> {
    return this.#closed.promise;
  }

  #take(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#left === 0) {
        const copied = bytes.copy(this.#header, this.#filled, at, at + HEADER - this.#filled);
        this.#filled += copied;
        at += copied;
        if (this.#filled < HEADER) return;
        this.#filled = 0;
        this.#kind = this.#header[0]!;
        this.#left = this.#header.readUInt32BE(4);
        continue;
      }
      const part = bytes.subarray(at, at + this.#left);
      at += part.length;
      this.#left -= part.length;
      this.#refused ||= !this.#hasSpoken && this.#kind !== STDERR && isRefusal(part);
      if (this.#kind === STDERR || this.#refused) {
        this.stderr = (this.stderr + part.toString()).slice(-MAX_STDERR);
      } else {
        this.#hasSpoken = true;
        this.receive(part);
      }
    }
  }
}

/** The Engine reports a failed start as text. */
function isRefusal(first: Buffer): boolean {
  return first.length > 3 && first[3] !== 0 && first[0] !== "0".charCodeAt(0);
}
