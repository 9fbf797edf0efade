import { fstatSync, ftruncateSync, read, readSync, write, writeSync } from "node:fs";
import { fromCallback } from "./flush.ts";
import { SLICE_BYTES } from "./read-file.ts";

/** Writes slices at the handle's position, so that the event loop runs. */
export async function writeAll(fd: number, bytes: Uint8Array, check: () => void): Promise<void> {
  const sliced = bytes.length > SLICE_BYTES;
  for (let done = 0; done < bytes.length;) {
    if (sliced) check();
    const length = Math.min(SLICE_BYTES, bytes.length - done);
    const at = done;
    done += sliced
      ? await fromCallback<number>((answer) => write(fd, bytes, at, length, null, answer))
      : writeSync(fd, bytes, at, length);
  }
}

export async function copyAll(fd: number, from: number, check: () => void): Promise<void> {
  const slice = Buffer.allocUnsafe(SLICE_BYTES);
  for (let done = 0; ;) {
    check();
    const at = done;
    const count = await fromCallback<number>((answer) => read(from, slice, 0, slice.length, at, answer));
    if (count === 0) return;
    await writeAll(fd, slice.subarray(0, count), check);
    done += count;
  }
}

export async function overwrite(fd: number, from: number): Promise<void> {
  const slice = Buffer.allocUnsafe(SLICE_BYTES);
  const { size } = fstatSync(from);
  for (let done = 0; done < size;) {
    // Without a turn before the first slice, a crash rarely leaves a mixture.
    if (done > 0) await new Promise((resolve) => setImmediate(resolve));
    const count = readSync(from, slice, 0, Math.min(slice.length, size - done), done);
    if (count === 0) break;
    for (let written = 0; written < count;)
      written += writeSync(fd, slice, written, count - written, done + written);
    done += count;
  }
  ftruncateSync(fd, size);
}

export async function isCopy(fd: number, from: number): Promise<boolean> {
  const [one, other] = [Buffer.allocUnsafe(SLICE_BYTES), Buffer.allocUnsafe(SLICE_BYTES)];
  for (let done = 0; ;) {
    const at = done;
    const count = await fromCallback<number>((answer) => read(from, one, 0, one.length, at, answer));
    const found = readSync(fd, other, 0, Math.max(1, count), at);
    if (found !== count || one.compare(other, 0, count, 0, count) !== 0) return false;
    if (count === 0) return true;
    done += count;
  }
}
