import { readSync } from "node:fs";
import { failure, type Request } from "../boundary/failures.ts";
import { SLICE_BYTES } from "./read-file.ts";

/** Read back in pieces that stay in the processor's cache. */
const PIECE_BYTES = 1024 * 1024;

/**
 * Reads back what has been written. The event loop runs after every {@link SLICE_BYTES}.
 *
 * @throws HaftError `FILE_SYSTEM_FAILED` when it is not what was to be written
 */
export async function requireWritten(fd: number, bytes: Uint8Array, request: Request): Promise<void> {
  const into = Buffer.allocUnsafe(Math.min(bytes.length, PIECE_BYTES));
  for (let done = 0; done < bytes.length;) {
    if (done > 0 && done % SLICE_BYTES === 0) await new Promise((resolve) => setImmediate(resolve));
    const count = readSync(fd, into, 0, Math.min(into.length, bytes.length - done), done);
    if (count === 0 || into.compare(bytes, done, done + count, 0, count) !== 0) {
      throw failure("FILE_SYSTEM_FAILED", request, {
        why: "what was read back is not what was written",
        receipt: "committed",
      });
    }
    done += count;
  }
}
