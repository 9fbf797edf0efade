import type { FileStat, HaftError } from "@haft/plugin-sdk";
import { sha256 } from "@haft/utils";
import { isAscii, isUtf8 } from "node:buffer";
import type { DetectedEncoding } from "../content/codecs.ts";
import { characterStart, findInvalidByte, guessBytes } from "../content/encoding.ts";
import { fileToolError } from "../errors.ts";
import type { FileWindow } from "../lines/file-window.ts";
import type { LineIndex } from "../lines/line-index.ts";
import { CR, type LineEnd, SCAN_SLICE_BYTES } from "../lines/scanner.ts";

/** Counts lines after the page only in this many remaining bytes. Otherwise the total is a lower bound. */
const COUNT_BYTES = 64 * 1024 * 1024;
const COUNT_MS = 500;
/** Fits in the processor's cache. */
const SCAN_BYTES = 2 * 1024 * 1024;
const NOTICE_BYTES = 256;

export interface PageRequest {
  path: string;
  offset: number;
  cursor: number;
  limit: number | undefined;
  budget: number;
  /** Shows invalid bytes as U+FFFD instead of an error. */
  marksInvalid?: boolean;
}

interface NextPage {
  offset: number;
  cursor?: number;
}

export interface ReadPage {
  text: string;
  /** First line with a byte that is not UTF-8. */
  invalidLine?: number;
  stat: FileStat;
  bom: boolean;
  encoding?: DetectedEncoding;
  damaged?: true;
  /** A lower bound unless `linesExact`. */
  lines: number;
  linesExact: boolean;
  shown: number;
  next?: NextPage;
  cutBy?: "lines" | "bytes";
  hash?: string;
  changed: boolean;
}

/** `index` grows as needed, and is completed if little remains. */
interface Paging {
  window: FileWindow;
  index: LineIndex;
  request: PageRequest;
}

export async function readTextPage(paging: Paging): Promise<ReadPage> {
  const { window, index } = paging;
  const start = await pageStart(paging);
  const page = start === undefined ? undefined : await cutPage(paging, start);
  await countRest(window, index);
  // A complete index may be outdated, which this load checks.
  if (window.stat === undefined) await window.load(0, 1);
  return {
    ...(page ?? { text: "", shown: 0 }),
    stat: window.stat as FileStat,
    bom: index.textStart > 0,
    lines: index.lines,
    linesExact: index.complete,
    changed: window.changed,
  };
}

async function pageStart(paging: Paging): Promise<number | undefined> {
  const { window, index, request } = paging;
  const { offset, cursor } = request;
  const { resume } = index;
  if (resume !== undefined && resume.line === offset && resume.cursor === cursor) return resume.byte;
  const line = offset === 1 ? index.textStart : await lineStart(paging);
  return line === undefined || cursor === 0 ? line : findCursor(window, line, index.lineEnd, request);
}

async function lineStart({ window, index, request }: Paging): Promise<number | undefined> {
  let block = index.find(request.offset);
  while (block === undefined && !index.complete) {
    await scanNext(window, index);
    block = index.find(request.offset);
  }
  if (block === undefined) return undefined;
  // Most pages end soon after the block, so one read loads both.
  await window.load(block.start, block.length + request.budget);
  const from = block.start - window.start;
  const found = window.scanner.afterNewline(
    from,
    Math.min(from + block.length, window.end - window.start),
    block.nth,
    index.lineEnd,
  );
  const start = window.start + found;
  return start >= (window.stat as FileStat).size ? undefined : start;
}

async function cutPage(paging: Paging, start: number) {
  const { window, index, request } = paging;
  const { scanner } = window;
  const { lineEnd } = index;
  await window.load(start, request.budget);
  const { size } = window.stat as FileStat;
  const room = size - start <= request.budget ? request.budget : request.budget - NOTICE_BYTES;
  const from = start - window.start;
  const most = Math.min(from + room, window.end - window.start);
  const atEnd = window.start + most >= size;

  let to = most;
  let cutBy: "lines" | "bytes" | undefined = atEnd ? undefined : "bytes";
  const limited = request.limit === undefined ? -1 : scanner.afterNewline(from, most, request.limit, lineEnd);
  if (limited >= 0) {
    to = limited;
    cutBy = window.start + limited >= size ? undefined : "lines";
  } else if (!atEnd) {
    const newline = scanner.buffer.lastIndexOf(lineEnd, most - 1);
    to = newline >= from ? newline + 1 : clusterEnd(scanner.buffer, from, most);
  }

  const newlines = scanner.count(from, to, lineEnd);
  const partial = to > from && scanner.buffer[to - 1] !== lineEnd;
  const bytes = scanner.buffer.subarray(from, to);
  const { text, invalidLine } = decode(bytes, request, start, lineEnd);
  const whole = start === index.textStart && cutBy === undefined;
  return {
    text,
    ...(invalidLine !== undefined && { invalidLine }),
    shown: newlines + (partial ? 1 : 0),
    ...(cutBy !== undefined && {
      cutBy,
      next: nextPage(paging, start, to, newlines, partial),
    }),
    ...(whole && { hash: sha256(scanner.buffer.subarray(from - index.textStart, to)) }),
  };
}

function nextPage(
  { window, index, request }: Paging,
  start: number,
  to: number,
  newlines: number,
  partial: boolean,
): NextPage {
  const offset = request.offset + newlines;
  if (!partial) {
    index.resume = { line: offset, cursor: 0, byte: window.start + to };
    return { offset };
  }
  // Only a page without a line end stops inside a line.
  const cursor = request.cursor + window.scanner.codeUnits(start - window.start, to);
  index.resume = { line: offset, cursor, byte: window.start + to };
  return { offset, cursor };
}

function decode(
  bytes: Buffer,
  request: PageRequest,
  start: number,
  lineEnd: LineEnd,
): Pick<ReadPage, "text" | "invalidLine"> {
  const ascii = isAscii(bytes);
  const isValid = ascii || isUtf8(bytes);
  if (!isValid && (request.marksInvalid !== true || guessBytes(bytes) === "binary"))
    throw notUtf8(bytes, request, start, lineEnd);
  const decoded = bytes.toString(ascii ? "latin1" : "utf8");
  const text = decoded.includes("\r") ? decoded.replaceAll(lineEnd === CR ? "\r" : "\r\n", "\n") : decoded;
  return isValid ? { text } : { text, invalidLine: lineAt(bytes, findInvalidByte(bytes), request, lineEnd) };
}

function lineAt(bytes: Buffer, at: number, request: PageRequest, lineEnd: LineEnd): number {
  return request.offset + bytes.subarray(0, at).filter((byte) => byte === lineEnd).length;
}

function notUtf8(bytes: Buffer, request: PageRequest, start: number, lineEnd: LineEnd): HaftError {
  const at = findInvalidByte(bytes);
  const line = lineAt(bytes, at, request, lineEnd);
  const guess = guessBytes(bytes);
  const value = (bytes[at] as number).toString(16).padStart(2, "0");
  const where = `byte 0x${value} at position ${start + at} (line ${line})`;
  const details = { path: request.path, encoding: guess, line, position: start + at };
  if (guess === "binary") {
    return fileToolError("BINARY_FILE", `${request.path} is not text: ${where} and others are not UTF-8.`, {
      fix: "Read another file, or inspect this file with a program for its format.",
      details,
    });
  }
  const message = `${request.path} is not UTF-8: ${where}. Its encoding is unknown.`;
  return fileToolError("UNSUPPORTED_ENCODING", message, { fix: "Convert a copy to UTF-8 first.", details });
}

async function countRest(window: FileWindow, index: LineIndex): Promise<void> {
  const { size } = window.stat ?? { size: 0 };
  if (size - index.scanned > COUNT_BYTES) return;
  const until = performance.now() + COUNT_MS;
  while (!index.complete && performance.now() < until) await scanNext(window, index);
}

async function scanNext(window: FileWindow, index: LineIndex): Promise<void> {
  await window.load(index.scanned, SCAN_BYTES);
  const from = index.scanned - window.start;
  const to = window.end - window.start;
  index.add(window.scanner, from, to, window.atEnd || to - from < SCAN_BYTES);
}

const LOOK_BACK = 256;
const LOOK_AHEAD = 32;

/**
 * Returns the last position in `(from, most]` between grapheme clusters. `from` is such a position. Clusters that are too long are cut
 * between code points.
 */
function clusterEnd(buffer: Buffer, from: number, most: number): number {
  const end = characterStart(buffer, most);
  const start = beforeFlags(buffer, from, characterStart(buffer, Math.max(from, end - LOOK_BACK)));
  const tail = buffer.toString(
    "utf8",
    start,
    characterStart(buffer, Math.min(end + LOOK_AHEAD, buffer.length)),
  );
  // Positions are counted in the decoded text.
  if (tail.includes("\ufffd")) return end;
  let boundary = start;
  for (const { segment } of graphemes().segment(tail)) {
    const next = boundary + Buffer.byteLength(segment);
    if (next > end) break;
    boundary = next;
  }
  return boundary > start ? boundary : end;
}

/** Flags are pairs of indicators. Only the start of a row determines the pairs. */
function beforeFlags(buffer: Buffer, from: number, at: number): number {
  let start = at;
  while (start - 4 >= from && isRegionalIndicator(buffer, start - 4)) start -= 4;
  return start;
}

function isRegionalIndicator(b: Buffer, at: number): boolean {
  return b[at] === 0xf0 && b[at + 1] === 0x9f && b[at + 2] === 0x87 && (b[at + 3] as number) >= 0xa6;
}

let segmenter: Intl.Segmenter | undefined;
function graphemes(): Intl.Segmenter {
  return (segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" }));
}

const STEP = 64 * 1024;

async function findCursor(
  window: FileWindow,
  line: number,
  lineEnd: LineEnd,
  request: { path: string; offset: number; cursor: number },
): Promise<number> {
  const { scanner } = window;
  const { cursor } = request;
  let units = 0;
  for (let position = line; ;) {
    await window.load(position, SCAN_SLICE_BYTES);
    let at = position - window.start;
    const end = window.end - window.start;
    const newline = scanner.afterNewline(at, end, 1, lineEnd);
    const stop = newline < 0 ? end : newline - 1;
    while (at < stop) {
      const next = Math.min(at + STEP, stop);
      const more = scanner.codeUnits(at, next);
      if (units + more > cursor) return window.start + walk(scanner.buffer, at, next, units, request);
      units += more;
      at = next;
    }
    if (newline >= 0 || window.atEnd) {
      if (units === cursor) return window.start + stop;
      throw pastLine(request, units);
    }
    position = window.start + stop;
  }
}

function walk(
  buffer: Buffer,
  from: number,
  to: number,
  before: number,
  request: { offset: number; cursor: number },
): number {
  let units = before;
  for (let at = from; at < to; at += 1) {
    const byte = buffer[at] as number;
    if ((byte & 0xc0) === 0x80) continue;
    if (units >= request.cursor) {
      if (units === request.cursor) return at;
      break;
    }
    units += byte >= 0xf0 ? 2 : 1;
  }
  throw splitsPair(request, units);
}

function splitsPair(request: { offset: number; cursor: number }, after: number): HaftError {
  const message = `cursor=${request.cursor} of line ${request.offset} is inside a character (a surrogate pair).`;
  const fix = `Use cursor=${after - 2} or cursor=${after}.`;
  return fileToolError("INVALID_ARGUMENTS", message, { fix, details: { valid: [after - 2, after] } });
}

function pastLine(request: { offset: number; cursor: number }, length: number): HaftError {
  const message = `cursor=${request.cursor} is past the end of line ${request.offset}, which has ${length} characters.`;
  const fix = `Use offset=${request.offset + 1} without cursor for the next line, or a cursor up to ${length}.`;
  return fileToolError("INVALID_ARGUMENTS", message, { fix, details: { length } });
}
