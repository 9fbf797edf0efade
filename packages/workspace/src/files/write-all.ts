import { write, writeSync } from "node:fs";
import { SLICE_BYTES } from "./read-file.ts";

/** Writes all bytes at the handle's position: small ones at once, large ones in slices that let the event loop run. */
export async function writeAll(fd: number, bytes: Uint8Array, check: () => void): Promise<void> {
  const sliced = bytes.length > SLICE_BYTES;
  for (let done = 0; done < bytes.length;) {
    if (sliced) check();
    const length = Math.min(SLICE_BYTES, bytes.length - done);
    done += sliced ? await writeSlice(fd, bytes, done, length) : writeSync(fd, bytes, done, length);
  }
}

function writeSlice(fd: number, bytes: Uint8Array, at: number, length: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, at, length, null, (error, count) => (error === null ? resolve(count) : reject(error)));
  });
}
