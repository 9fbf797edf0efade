import { type FileSystem, HaftError } from "@haft/plugin-sdk";
import { isUtf8 } from "node:buffer";
import { readFileSnapshot } from "../changes/text/file-snapshot.ts";
import { countLineFeeds } from "../changes/text/file-text.ts";
import {
  decode,
  decodeForReading,
  type DetectedEncoding,
  isSingleByte,
  MAX_DECODED_BYTES,
} from "../content/codecs.ts";
import {
  bomLength,
  characterStart,
  detectContentKind,
  guessBytes,
  isMostlyText,
} from "../content/encoding.ts";
import type { LookupTime } from "../lookup/lookup-time.ts";
import type { WalkReport } from "../lookup/walk.ts";
import type { SkipReason } from "./grep-types.ts";
import type { GrepPiece } from "./search-text.ts";

/** Limits one search, and the length of a line that is searched completely. */
const BATCH_BYTES = 1024 * 1024;
/** A zero byte in this range marks a binary file. */
const BINARY_SAMPLE = 8192;

/** Content of a file: all, a part, or the reason for its absence. */
export type FilePiece = Omit<GrepPiece, "maxMatches" | "afterLine"> & {
  path: string;
  skipped?: SkipReason;
  detected?: DetectedEncoding;
};

export interface FileBatch {
  bytes: Buffer;
  used: number;
  pieces: FilePiece[];
}

interface BatchOptions {
  /** At its end, no other file begins and large files are not completed. */
  time: LookupTime;
  report: WalkReport;
  context: number;
  enough(path: string): boolean;
}

/**
 * Many small files share a batch of at most 1 MiB, pieces of a large file overlap by the context lines. A file that cannot be searched
 * becomes an empty piece with the reason. Missing files are omitted.
 */
export async function* fileBatches(
  fs: FileSystem,
  paths: AsyncIterable<string>,
  options: BatchOptions,
): AsyncGenerator<FileBatch, void> {
  const { time, report } = options;
  let batch = emptyBatch();
  let last: string | undefined;
  for await (const path of paths) {
    if (time.isExpired() && last !== undefined) {
      report.stoppedAfter = last;
      break;
    }
    last = path;
    let read = await readInto(fs, path, { offset: 0, batch, time });
    if (typeof read === "object" && !read.atEnd && batch.pieces.length > 0) {
      yield batch;
      batch = emptyBatch();
      read = await readInto(fs, path, { offset: 0, batch, time });
    }
    if (read === "gone") continue;
    let skipped = typeof read === "string" ? read : kindOf(batch, read);
    if (skipped === "notUtf8" && typeof read !== "string") {
      const beginning = batch.bytes.subarray(batch.used, batch.used + read.length);
      const decoded = await decodedFile(fs, path, beginning, read);
      if (decoded !== undefined) {
        if (batch.pieces.length > 0) yield batch;
        batch = emptyBatch();
        yield decoded;
        continue;
      }
      if (isMostlyText(beginning)) skipped = undefined;
    }
    if (skipped !== undefined) batch.pieces.push(skippedPiece(path, batch.used, skipped));
    else if (typeof read === "string" || read.length === 0) continue;
    else if (read.atEnd) {
      const from = batch.used + bomLength(batch.bytes.subarray(batch.used));
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

async function decodedFile(
  fs: FileSystem,
  path: string,
  beginning: Buffer,
  { atEnd }: Read,
): Promise<FileBatch | undefined> {
  const bytes = atEnd ? beginning : await wholeFile(fs, path);
  const decoded = bytes && decodeForReading(bytes);
  if (decoded === undefined) return undefined;
  const { text, encoding, guessed } = decoded;
  const [from, to] = [bomLength(text), text.length];
  const detected = { encoding, guessed };
  const piece = { path, from, to, searchFrom: from, searchTo: to, firstLine: 1, detected };
  return { bytes: owned(text), used: to, pieces: [piece] };
}

async function wholeFile(fs: FileSystem, path: string): Promise<Buffer | undefined> {
  try {
    return (await readFileSnapshot(fs, path, MAX_DECODED_BYTES)).bytes;
  } catch (error) {
    // The file is too large or has changed, so it stays undecoded.
    if (HaftError.is(error)) return undefined;
    throw error;
  }
}

/** A transfer to a thread moves the whole memory. */
function owned(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

async function* largeFile(
  fs: FileSystem,
  path: string,
  options: BatchOptions,
): AsyncGenerator<FileBatch, void> {
  let offset = 0;
  let firstLine = 1;
  let searched = 0;
  let cutShort = false;
  const { time } = options;
  while (!options.enough(path)) {
    const batch = emptyBatch();
    const read =
      time.isExpired() && offset > 0 ? "noTime" : await readInto(fs, path, { offset, batch, time });
    if (read === "noTime") yield { ...batch, pieces: [skippedPiece(path, 0, read)] };
    if (typeof read === "string" || read.length <= searched) return;
    const { bytes } = batch;
    const lastLine = bytes.lastIndexOf(10, read.length - 1) + 1;
    const endless = !read.atEnd && lastLine <= searched;
    const end = endless ? characterStart(bytes, read.length - 1) : read.length;
    const to = read.atEnd || endless ? end : lastLine;
    const searchTo = read.atEnd || endless ? end : Math.max(linesBack(bytes, lastLine, options.context), 0);
    const cut = searchTo > searched ? searchTo : to;
    const from = offset === 0 ? bomLength(bytes) : 0;
    batch.used = end;
    const valid = isUtf8(bytes.subarray(from, to));
    const range = { from, to, searchFrom: Math.max(from, searched), searchTo: cut };
    const decoded = valid ? undefined : decodedPiece(bytes, range);
    if (decoded === undefined) batch.pieces.push({ path, ...range, firstLine });
    if (endless && !cutShort) batch.pieces.push(skippedPiece(path, end, "longLine"));
    cutShort ||= endless;
    const firstHere = firstLine;
    // The buffer may be transferred to a thread, so it is read before.
    const next = endless ? end : linesBack(bytes, cut, options.context);
    firstLine += countLineFeeds(bytes, 0, next);
    offset += next;
    searched = cut - next;
    yield batch;
    if (decoded !== undefined)
      yield { ...decoded, pieces: [{ path, ...decoded.piece, firstLine: firstHere }] };
    if (read.atEnd) return;
    if (endless) {
      const rest = await endOfLine(fs, path, offset, options);
      if (rest === undefined) return;
      firstLine += 1;
      offset = rest;
    }
  }
}

function decodedPiece(
  bytes: Buffer,
  { from, to, searchFrom, searchTo }: Pick<GrepPiece, "from" | "to" | "searchFrom" | "searchTo">,
): (Pick<FileBatch, "bytes" | "used"> & { piece: Omit<FilePiece, "path" | "firstLine"> }) | undefined {
  if (!isSingleByte(bytes.subarray(from, to))) return undefined;
  const encoding = "windows-1252";
  const part = (start: number, end: number): Buffer => decode(bytes.subarray(start, end), encoding)!;
  const parts = [part(from, searchFrom), part(searchFrom, searchTo), part(searchTo, to)] as const;
  const text = owned(Buffer.concat(parts));
  const start = parts[0].length;
  const range = { from: 0, to: text.length, searchFrom: start, searchTo: start + parts[1].length };
  return { bytes: text, used: text.length, piece: { ...range, detected: { encoding, guessed: true } } };
}

function linesBack(bytes: Buffer, at: number, lines: number): number {
  let position = at;
  for (let left = lines; left > 0 && position > 0; left -= 1)
    position = bytes.lastIndexOf(10, position - 2) + 1;
  return at - position > BATCH_BYTES / 4 ? at : position;
}

async function endOfLine(
  fs: FileSystem,
  path: string,
  start: number,
  options: BatchOptions,
): Promise<number | undefined> {
  const { time } = options;
  const batch = emptyBatch();
  for (let offset = start; ;) {
    const read = time.isExpired() ? "noTime" : await readInto(fs, path, { offset, batch, time });
    // The caller detects the end of the time.
    if (read === "noTime") return offset;
    if (typeof read === "string" || read.length === 0) return undefined;
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

async function readInto(
  fs: FileSystem,
  path: string,
  { offset, batch, time }: { offset: number; batch: FileBatch; time: LookupTime },
): Promise<Read | "gone" | "hardLinked" | "unreadable" | "noTime"> {
  const into = batch.bytes.subarray(batch.used);
  try {
    const content = await time.waitFor(fs.read(path, { offset, length: into.length, into }));
    if (content === undefined) return "noTime";
    const { bytes, stat } = content;
    if (bytes.buffer !== into.buffer) into.set(bytes);
    return { length: bytes.length, atEnd: offset + bytes.length >= stat.size };
  } catch (error) {
    if (!HaftError.is(error)) throw error;
    if (error.code === "FILE_NOT_FOUND" || error.code === "PATH_CHANGED") return "gone";
    return error.code === "HARD_LINKED" ? "hardLinked" : "unreadable";
  }
}

/** Returns why these bytes cannot be searched. For a large file it checks only the beginning. */
function kindOf({ bytes, used }: FileBatch, { length, atEnd }: Read): SkipReason | undefined {
  const all = bytes.subarray(used, used + length);
  const sample = all.subarray(0, BINARY_SAMPLE);
  if (sample.includes(0)) return detectContentKind(sample).kind === "encoded" ? "notUtf8" : "binary";
  if (!atEnd || isUtf8(all)) return undefined;
  return guessBytes(sample) === "binary" ? "binary" : "notUtf8";
}

function skippedPiece(path: string, at: number, skipped: SkipReason): FilePiece {
  return { path, from: at, to: at, searchFrom: at, searchTo: at, firstLine: 1, skipped };
}
