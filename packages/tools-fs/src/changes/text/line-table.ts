import { lineEndOf } from "../../lines/scanner.ts";
import { CR, LF, bomLength } from "./file-text.ts";

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
  const lines = new LineCollector(bytes);
  if (lineEndOf(bytes) === LF) splitAtLineFeeds(bytes, lines);
  else splitAtReturns(bytes, lines);
  return lines.finish();
}

class LineCollector {
  readonly #bytes: Buffer;
  #starts: Int32Array;
  #ends: Int32Array;
  #count = 0;
  #start: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#start = bomLength(bytes);
    const guess = 64 + (bytes.length >> 5);
    this.#starts = new Int32Array(guess);
    this.#ends = new Int32Array(guess);
  }

  /** A line's text ends at `end`, the next line begins at `next`. */
  endLine(end: number, next: number): void {
    // One place stays free for the end of the file.
    if (this.#count + 1 >= this.#starts.length) {
      this.#starts = grow(this.#starts);
      this.#ends = grow(this.#ends);
    }
    this.#starts[this.#count] = this.#start;
    this.#ends[this.#count] = end;
    this.#count += 1;
    this.#start = next;
  }

  finish(): LineTable {
    const { length } = this.#bytes;
    if (this.#start < length) this.endLine(length, length);
    this.#starts[this.#count] = length;
    return { bytes: this.#bytes, count: this.#count, starts: this.#starts, ends: this.#ends };
  }
}

function splitAtReturns(bytes: Buffer, lines: LineCollector): void {
  for (let at = bytes.indexOf(CR); at >= 0; at = bytes.indexOf(CR, at + 1)) lines.endLine(at, at + 1);
}

/** Looks at four bytes at a time, which most often hold no line feed. */
function splitAtLineFeeds(bytes: Buffer, lines: LineCollector): void {
  const { length, byteOffset } = bytes;
  const first = Math.min(length, (4 - (byteOffset & 3)) & 3);
  const words = new Int32Array(bytes.buffer, byteOffset + first, (length - first) >> 2);
  const look = (from: number, to: number): void => {
    for (let at = from; at < to; at += 1)
      if (bytes[at] === LF) lines.endLine(bytes[at - 1] === CR ? at - 1 : at, at + 1);
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
