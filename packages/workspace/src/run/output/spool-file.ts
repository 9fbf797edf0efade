import { attempt } from "@haft/system/processes";
import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";

export class SpoolFile {
  readonly path: string;
  readonly #limit: number;
  #fd: number | undefined;
  #size = 0;
  #full: boolean;

  constructor(path: string, limit: number) {
    this.path = path;
    this.#limit = limit;
    this.#full = limit <= 0;
  }

  get size(): number {
    return this.#size;
  }

  append(bytes: Uint8Array): void {
    if (this.#full) return;
    const part = bytes.subarray(0, this.#limit - this.#size);
    try {
      this.#fd ??= openSync(this.path, "wx+", 0o600);
      for (let done = 0; done < part.length;) {
        const written = writeSync(this.#fd, part, done, part.length - done, this.#size);
        done += written;
        this.#size += written;
      }
    } catch {
      this.#full = true;
    }
    if (this.#size >= this.#limit) this.#full = true;
  }

  read(from: number, to: number): Buffer {
    const bytes = Buffer.allocUnsafe(to - from);
    let done = 0;
    while (this.#fd !== undefined && done < bytes.length) {
      const count = readSync(this.#fd, bytes, done, bytes.length - done, from + done);
      if (count === 0) break;
      done += count;
    }
    return bytes.subarray(0, done);
  }

  close(remove: boolean): void {
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
    this.#full = true;
    if (remove) attempt(() => unlinkSync(this.path));
  }
}
