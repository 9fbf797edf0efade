import { CR, LF, bomLength } from "./file-text.ts";

/**
 * Where the lines of a file are, in bytes. A line ends with LF, CRLF or a lone CR; a byte order
 * mark belongs to no line; a file that ends without a line ending still has that last line.
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
  const hasCr = bytes.includes(CR);
  const bom = bomLength(bytes);
  let capacity = 64 + (bytes.length >> 5);
  let starts = new Int32Array(capacity);
  let ends = new Int32Array(capacity);
  let count = 0;
  const push = (start: number, end: number): void => {
    if (count + 1 >= capacity) {
      capacity *= 2;
      starts = grow(starts, capacity);
      ends = grow(ends, capacity);
    }
    starts[count] = start;
    ends[count] = end;
    count += 1;
  };
  let start = bom;
  const { length } = bytes;
  for (let at = bom; at < length; at += 1) {
    const byte = bytes[at] as number;
    if (byte > CR) continue;
    if (byte === LF) {
      push(start, at);
      start = at + 1;
    } else if (hasCr && byte === CR) {
      push(start, at);
      if (bytes[at + 1] === LF) at += 1;
      start = at + 1;
    }
  }
  if (start < length) push(start, length);
  starts[count] = length;
  return { bytes, count, starts, ends };
}

function grow(array: Int32Array, capacity: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(capacity);
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

/** The line a byte is in, from 0. */
export function lineAt(table: LineTable, byte: number): number {
  let low = 0;
  let high = table.count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((table.starts[middle] as number) <= byte) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}
