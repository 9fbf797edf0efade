import { write, writeSync } from "node:fs";
import { answerOf } from "./flush.ts";
import { SLICE_BYTES } from "./read-file.ts";

/** Writes all bytes at the handle's position: small ones at once, large ones in slices that let the event loop run. */
export async function writeAll(fd: number, bytes: Uint8Array, check: () => void): Promise<void> {
  const sliced = bytes.length > SLICE_BYTES;
  for (let done = 0; done < bytes.length;) {
    if (sliced) check();
    const length = Math.min(SLICE_BYTES, bytes.length - done);
    const at = done;
    done += sliced
      ? await answerOf<number>((answer) => write(fd, bytes, at, length, null, answer))
      : writeSync(fd, bytes, at, length);
  }
}
