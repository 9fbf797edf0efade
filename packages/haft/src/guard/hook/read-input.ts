import { readSync } from "node:fs";

/** Bytes. Agents send whole files; more than this is no call that somebody could decide about. */
const LARGEST = 64 * 1024 * 1024;

/**
 * All of standard input as text. Read at once: what loads a stream takes longer than reading it.
 *
 * @throws Error where there is too much, or it is not UTF-8
 */
export function readInput(): string {
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const length = readSome(chunk);
    if (length === 0) break;
    size += length;
    if (size > LARGEST) throw new Error(`the payload is larger than ${LARGEST / 1024 / 1024} MB`);
    chunks.push(chunk.subarray(0, length));
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
}

function readSome(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk);
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code === "EOF") return 0;
      // Some agents hand over a pipe that does not wait.
      if (code !== "EAGAIN") throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}
