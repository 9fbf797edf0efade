import { HaftError } from "@haft/core";
import type { FileSystem } from "@haft/core";
import type { Piece } from "./search-text.ts";

/** Bytes searched at once, and the longest line that is searched to its end. */
export const BATCH_BYTES = 1024 * 1024;
/** A file with a zero byte in its beginning is not text. */
const BINARY_SAMPLE = 8192;

/** What a batch has of each file: everything, or one stretch. */
export type FilePiece = Omit<Piece, "most" | "afterLine"> & { path: string };

export interface FileBatch {
  bytes: Buffer;
  used: number;
  pieces: FilePiece[];
}

export interface BatchOptions {
  signal: AbortSignal;
  /** Lines around a match that must be in the same piece. */
  context: number;
  /** Asked between the pieces of a large file: need its rest not be read? */
  enough(path: string): boolean;
}

/**
 * Reads files into batches of at most 1 MiB: many small files in one, a large file as several,
 * overlapping by as many lines as are needed for context. Files that are binary, gone or
 * forbidden are left out.
 */
export async function* fileBatches(
  fs: FileSystem,
  paths: AsyncIterable<string>,
  options: BatchOptions,
): AsyncGenerator<FileBatch, void> {
  let batch = emptyBatch();
  for await (const path of paths) {
    options.signal.throwIfAborted();
    let read = await readInto(fs, path, 0, batch);
    if (read !== undefined && !read.atEnd && batch.used > 0) {
      yield batch;
      batch = emptyBatch();
      read = await readInto(fs, path, 0, batch);
    }
    if (read === undefined || read.length === 0 || isBinary(batch, read.length)) continue;
    if (read.atEnd) {
      const from = batch.used + markLength(batch.bytes, batch.used);
      const to = batch.used + read.length;
      batch.pieces.push({ path, from, to, searchFrom: from, searchTo: to, firstLine: 1 });
      batch.used = to;
    } else {
      yield* largeFile(fs, path, options);
    }
  }
  if (batch.pieces.length > 0) yield batch;
}

function emptyBatch(): FileBatch {
  return { bytes: Buffer.allocUnsafeSlow(BATCH_BYTES), used: 0, pieces: [] };
}

async function* largeFile(
  fs: FileSystem,
  path: string,
  options: BatchOptions,
): AsyncGenerator<FileBatch, void> {
  let offset = 0;
  let firstLine = 1;
  /** Bytes at the start of the piece that were searched with the one before. */
  let searched = 0;
  while (!options.enough(path)) {
    options.signal.throwIfAborted();
    const batch = emptyBatch();
    const read = await readInto(fs, path, offset, batch);
    if (read === undefined || read.length <= searched) return;
    const { bytes } = batch;
    const end = read.length;
    const lastLine = bytes.lastIndexOf(10, end - 1) + 1;
    const endless = !read.atEnd && lastLine <= searched;
    const to = read.atEnd || endless ? end : lastLine;
    const searchTo = read.atEnd || endless ? end : Math.max(linesBack(bytes, lastLine, options.context), 0);
    const cut = searchTo > searched ? searchTo : to;
    const from = offset === 0 ? markLength(bytes, 0) : 0;
    batch.used = end;
    batch.pieces.push({ path, from, to, searchFrom: Math.max(from, searched), searchTo: cut, firstLine });
    // Once handed on, the buffer may be gone to a thread: look at it first.
    const next = endless ? end : linesBack(bytes, cut, options.context);
    firstLine += countLines(bytes, next);
    offset += next;
    searched = cut - next;
    yield batch;
    if (read.atEnd) return;
    if (endless) {
      const rest = await endOfLine(fs, path, offset, options);
      if (rest === undefined) return;
      firstLine += 1;
      offset = rest;
    }
  }
}

/** Position `lines` line starts before `at`, which is one; `at` itself when that is too far back. */
function linesBack(bytes: Buffer, at: number, lines: number): number {
  let position = at;
  for (let left = lines; left > 0 && position > 0; left -= 1)
    position = bytes.lastIndexOf(10, position - 2) + 1;
  return at - position > BATCH_BYTES / 4 ? at : position;
}

/** File position after the next line feed, `undefined` when there is none. */
async function endOfLine(
  fs: FileSystem,
  path: string,
  start: number,
  options: BatchOptions,
): Promise<number | undefined> {
  const batch = emptyBatch();
  for (let offset = start; ;) {
    options.signal.throwIfAborted();
    const read = await readInto(fs, path, offset, batch);
    if (read === undefined || read.length === 0) return undefined;
    const found = batch.bytes.subarray(0, read.length).indexOf(10);
    if (found >= 0) return offset + found + 1;
    if (read.atEnd) return undefined;
    offset += read.length;
  }
}

interface Read {
  length: number;
  atEnd: boolean;
}

/** Reads as much of the file as the batch has room for; `undefined` when it cannot be read. */
async function readInto(
  fs: FileSystem,
  path: string,
  offset: number,
  batch: FileBatch,
): Promise<Read | undefined> {
  const into = batch.bytes.subarray(batch.used);
  try {
    const { bytes, stat } = await fs.read(path, { offset, length: into.length, into });
    if (bytes.buffer !== into.buffer) into.set(bytes);
    return { length: bytes.length, atEnd: offset + bytes.length >= stat.size };
  } catch (error) {
    if (HaftError.is(error)) return undefined;
    throw error;
  }
}

function isBinary(batch: FileBatch, length: number): boolean {
  return batch.bytes.subarray(batch.used, batch.used + Math.min(length, BINARY_SAMPLE)).includes(0);
}

/** Bytes of a UTF-8 byte order mark. */
function markLength(bytes: Buffer, at: number): number {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf ? 3 : 0;
}

function countLines(bytes: Buffer, end: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0 && at < end; at = bytes.indexOf(10, at + 1)) lines += 1;
  return lines;
}
