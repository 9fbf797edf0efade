import type { FileSystem } from "@haft/plugin-sdk";
import type { LineIndex } from "./line-index.ts";
import { createScanner, type Scanner } from "./scanner.ts";

const MOST_INDEXES = 64;
/** Scanners one file system may use at once: beyond that, reads wait their turn. */
const MOST_SCANNERS = 4;
const MOST_IDLE = 2;

/** Scanners nobody uses now, shared by all file systems. */
const idle: Scanner[] = [];

/** What reading remembers about one file system: line indexes of large files, and who is scanning. */
export class ReadState {
  private readonly indexes = new Map<string, LineIndex>();
  private inUse = 0;
  private readonly waiting: (() => void)[] = [];

  /** The index last kept for this path; it may describe an older version of the file. */
  index(path: string): LineIndex | undefined {
    const found = this.indexes.get(path);
    if (found !== undefined) this.keep(path, found);
    return found;
  }

  /** Keeps an index, forgetting the one unused for longest when there are too many. */
  keep(path: string, index: LineIndex): void {
    this.indexes.delete(path);
    this.indexes.set(path, index);
    if (this.indexes.size > MOST_INDEXES) this.indexes.delete(this.indexes.keys().next().value as string);
  }

  forget(path: string): void {
    this.indexes.delete(path);
  }

  /** Lends a scanner to `use`, after waiting for one when too many are out. */
  async withScanner<T>(use: (scanner: Scanner) => Promise<T>): Promise<T> {
    while (this.inUse >= MOST_SCANNERS) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.inUse += 1;
    const scanner = idle.pop() ?? createScanner();
    try {
      return await use(scanner);
    } finally {
      this.inUse -= 1;
      if (idle.length < MOST_IDLE) idle.push(scanner);
      this.waiting.shift()?.();
    }
  }
}

const states = new WeakMap<FileSystem, ReadState>();

/** The one state of a file system. */
export function readState(fs: FileSystem): ReadState {
  let state = states.get(fs);
  if (state === undefined) states.set(fs, (state = new ReadState()));
  return state;
}
