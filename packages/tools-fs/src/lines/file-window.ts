import type { FileStat, FileSystem } from "@haft/plugin-sdk";
import { EventLoopYielder } from "../scheduling/event-loop-yielder.ts";
import { type Scanner, SCAN_SLICE_BYTES } from "./scanner.ts";

const LONG_READ_MS = 4;
const SHORT_READ_MS = 1;
const FIRST_READ_BYTES = 1024 * 1024;
const LEAST_READ_BYTES = 64 * 1024;

interface WindowSource {
  fs: Pick<FileSystem, "read">;
  path: string;
  scanner: Scanner;
  signal: AbortSignal;
  /** Default: the version of the first load. */
  version: string | undefined;
  /** Continues with a changing file instead of throwing {@link FileMoved}. */
  tolerant: boolean;
}

/** The file is no longer the opened file. */
export class FileMoved extends Error {}

/** A part of a file: buffer index 0 is file byte {@link start}. Loading yields to the event loop and detects changes. */
export class FileWindow {
  readonly scanner: Scanner;
  start = 0;
  end = 0;
  stat: FileStat | undefined;
  changed = false;

  private readonly source: WindowSource;
  private version: string | undefined;
  private readonly turns = new EventLoopYielder();
  /** Adapted to the last duration: a file system may read synchronously. */
  private readBytes = FIRST_READ_BYTES;

  constructor(source: WindowSource) {
    this.source = source;
    this.scanner = source.scanner;
    this.version = source.version;
  }

  get atEnd(): boolean {
    return this.stat !== undefined && this.end >= this.stat.size;
  }

  async load(start: number, length: number): Promise<void> {
    if (this.stat !== undefined && start >= this.start && start <= this.end) {
      if (this.end - start >= length || this.atEnd) return;
    }
    const wanted = Math.min(length, SCAN_SLICE_BYTES);
    this.start = start;
    this.end = start;
    // A remote file system may return less than requested. An empty answer means the end.
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
