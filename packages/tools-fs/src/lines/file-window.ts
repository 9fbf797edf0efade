import type { FileStat, FileSystem } from "@haft/plugin-sdk";
import { EventLoopYielder } from "../scheduling/event-loop-yielder.ts";
import { type Scanner, SCAN_SLICE_BYTES } from "./scanner.ts";

/** A read of so many milliseconds is a long one for the event loop; the next asks for less. */
const LONG_READ_MS = 4;
const SHORT_READ_MS = 1;
const FIRST_READ_BYTES = 1024 * 1024;
const LEAST_READ_BYTES = 64 * 1024;

interface WindowSource {
  fs: Pick<FileSystem, "read">;
  path: string;
  scanner: Scanner;
  signal: AbortSignal;
  /** The version the file must have; whatever it has at the first load when not given. */
  version: string | undefined;
  /** Carry on with a file that is being written instead of throwing {@link FileMoved}. */
  tolerant: boolean;
}

/** Thrown (never seen outside) when the file is not the one the window was opened on any more. */
export class FileMoved extends Error {}

/**
 * A stretch of a file in a scanner's buffer: buffer index 0 is file byte {@link start}. Loading
 * yields to the event loop now and then and notices when the file changes under it.
 */
export class FileWindow {
  readonly scanner: Scanner;
  start = 0;
  /** File position after the last loaded byte. */
  end = 0;
  /** Of the file as last read; `undefined` before the first load. */
  stat: FileStat | undefined;
  /** The file changed while it was read; only possible when tolerant. */
  changed = false;

  private readonly source: WindowSource;
  private version: string | undefined;
  private readonly turns = new EventLoopYielder();
  /** Bytes to read at once, by how long the last read took: a file system may read while the event loop waits. */
  private readBytes = FIRST_READ_BYTES;

  constructor(source: WindowSource) {
    this.source = source;
    this.scanner = source.scanner;
    this.version = source.version;
  }

  get atEnd(): boolean {
    return this.stat !== undefined && this.end >= this.stat.size;
  }

  /** Makes `[start, start + length)`, or as much of it as the file has, available. */
  async load(start: number, length: number): Promise<void> {
    if (this.stat !== undefined && start >= this.start && start <= this.end) {
      if (this.end - start >= length || this.atEnd) return;
    }
    const wanted = Math.min(length, SCAN_SLICE_BYTES);
    this.start = start;
    this.end = start;
    // A file system behind a wire may answer less than asked for: go on until it says nothing.
    while (this.end - start < wanted) {
      const got = await this.fill(this.end - start, wanted);
      this.end += got;
      if (got === 0 || this.atEnd) break;
    }
  }

  private async fill(at: number, wanted: number): Promise<number> {
    const { fs, path, signal } = this.source;
    await this.turns.pause();
    signal.throwIfAborted();
    const into = this.scanner.buffer.subarray(at, Math.min(wanted, at + this.readBytes));
    const started = performance.now();
    const { bytes, stat } = await fs.read(path, {
      offset: this.start + at,
      length: into.length,
      into,
      signal,
    });
    const took = performance.now() - started;
    if (took > LONG_READ_MS) this.readBytes = Math.max(LEAST_READ_BYTES, this.readBytes / 2);
    else if (took < SHORT_READ_MS) this.readBytes = Math.min(SCAN_SLICE_BYTES, this.readBytes * 2);
    if (bytes.byteOffset !== into.byteOffset || bytes.buffer !== into.buffer) into.set(bytes);
    this.accept(stat);
    return bytes.length;
  }

  private accept(stat: FileStat): void {
    if (this.version !== undefined && this.version !== stat.version) {
      if (!this.source.tolerant) throw new FileMoved();
      this.changed = true;
    }
    this.version = stat.version;
    this.stat = stat;
  }
}
