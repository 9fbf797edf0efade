import { bomLength } from "../../content/encoding.ts";
import { CR, LF, lineEndOf } from "../../lines/scanner.ts";

/**
 * Where the lines of a file are, in bytes, as `read` and `grep` count them. A line ends with LF or CRLF, in a
 * file without any LF with CR; a byte order mark belongs to no line; a file that ends without a line
 * ending still has that last line.
 */
export interface LineTable {
  readonly bytes: Buffer;
  readonly count: number;
  /** First byte of each line; one more entry for the end of the file. */
  readonly starts: Int32Array;
  /** End of each line's text, before its ending. */
  readonly ends: Int32Array;
}

export function buildLineTable(bytes: Buffer): LineTable {
  let starts: Int32Array = new Int32Array(64 + (bytes.length >> 5));
  let ends: Int32Array = new Int32Array(starts.length);
  let count = 0;
  let start = bomLength(bytes);
  const endLine: EndLine = (end, next) => {
    // One place stays free for the end of the file.
    if (count + 1 >= starts.length) {
      starts = grow(starts);
      ends = grow(ends);
    }
    starts[count] = start;
    ends[count] = end;
    count += 1;
    start = next;
  };
  if (lineEndOf(bytes) === LF) splitAtLineFeeds(bytes, endLine);
  else splitAtReturns(bytes, endLine);
  if (start < bytes.length) endLine(bytes.length, bytes.length);
  starts[count] = bytes.length;
  return { bytes, count, starts, ends };
}

/** A line's text ends at `end`, the next line begins at `next`. */
type EndLine = (end: number, next: number) => void;

function splitAtReturns(bytes: Buffer, endLine: EndLine): void {
  for (let at = bytes.indexOf(CR); at >= 0; at = bytes.indexOf(CR, at + 1)) endLine(at, at + 1);
}

/** Looks at four bytes at a time, which most often hold no line feed. */
function splitAtLineFeeds(bytes: Buffer, endLine: EndLine): void {
  const { length, byteOffset } = bytes;
  const first = Math.min(length, (4 - (byteOffset & 3)) & 3);
  const words = new Int32Array(bytes.buffer, byteOffset + first, (length - first) >> 2);
  const look = (from: number, to: number): void => {
    for (let at = from; at < to; at += 1)
      if (bytes[at] === LF) endLine(bytes[at - 1] === CR ? at - 1 : at, at + 1);
  };
  look(0, first);
  for (let word = 0; word < words.length; word += 1) {
    // Zero in every byte that is a line feed; the next line tells whether there is a zero byte.
    const mixed = (words[word] as number) ^ 0x0a0a0a0a;
    if (((mixed - 0x01010101) & ~mixed & 0x80808080) === 0) continue;
    const at = first + word * 4;
    look(at, at + 4);
  }
  look(first + words.length * 4, length);
}

function grow(array: Int32Array): Int32Array {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

/** Text of a line, without its ending. */
export function lineText(table: LineTable, line: number): string {
  return table.bytes.toString("utf8", table.starts[line], table.ends[line]);
}

/** Text of lines `[from, to)`, joined by line feeds. */
export function linesText(table: LineTable, from: number, to: number): string {
  const lines: string[] = [];
  for (let line = Math.max(0, from); line < Math.min(table.count, to); line += 1)
    lines.push(lineText(table, line));
  return lines.join("\n");
}
