import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Bytes of one file that is trusted. */
export const LARGEST = 4 * 1024 * 1024;
const CHUNK = 64 * 1024;

/**
 * The content of a file that is no link, and nothing that would make us wait: of one that is larger than {@link LARGEST}
 * the beginning, and a byte too many, whatever its size says.
 */
export function readPlain(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error("it is no file");
    const chunks: Buffer[] = [];
    for (let left = LARGEST + 1; left > 0;) {
      // One more byte shows the end.
      const chunk = Buffer.allocUnsafe(Math.min(left, Math.max(CHUNK, found.size + 1)));
      const length = readSync(file, chunk);
      if (length === 0) break;
      chunks.push(chunk.subarray(0, length));
      left -= length;
    }
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  } finally {
    closeSync(file);
  }
}
