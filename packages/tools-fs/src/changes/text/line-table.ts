import { bomLength } from "../../content/encoding.ts";
import { CR, LF, detectLineEnd, sharedScanner } from "../../lines/scanner.ts";

/**
 * Contains positions of lines in bytes, as `read` and `grep` count them. A line ends with LF or CRLF; in a file without LF with CR. A byte
 * mark belongs to no line. An unterminated last line counts.
 */
export interface LineTable {
  readonly bytes: Buffer;
  readonly count: number;
  /** First byte of each line, then the end of the file. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

const SCAN_BYTES = 512 * 1024;

export function buildLineTable(bytes: Buffer): LineTable {
  const lineEnd = detectLineEnd(bytes);
  let starts: Int32Array = new Int32Array(64 + (bytes.length >> 5));
  let ends: Int32Array = new Int32Array(starts.length);
  let count = 0;
  let start = bomLength(bytes);
  const scanner = sharedScanner();
  for (let from = 0; from < bytes.length; from += SCAN_BYTES) {
    const part = bytes.subarray(from, from + SCAN_BYTES);
    scanner.buffer.set(part);
    const found = scanner.positions(0, part.length, SCAN_BYTES, lineEnd);
    // For an unterminated last line, and for the end of the file.
    while (count + found.length + 2 > starts.length) {
      starts = grow(starts);
      ends = grow(ends);
    }
    for (let index = 0; index < found.length; index += 1) {
      const end = from + (found[index] as number);
      starts[count] = start;
      ends[count] = lineEnd === LF && bytes[end - 1] === CR ? end - 1 : end;
      count += 1;
      start = end + 1;
    }
  }
  if (start < bytes.length) {
    starts[count] = start;
    ends[count] = bytes.length;
    count += 1;
  }
  starts[count] = bytes.length;
  return { bytes, count, starts, ends };
}

function grow(array: Int32Array): Int32Array {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

export function lineText(table: LineTable, line: number): string {
  return table.bytes.toString("utf8", table.starts[line], table.ends[line]);
}

export function linesText(table: LineTable, from: number, to: number): string {
  const lines: string[] = [];
  for (let line = Math.max(0, from); line < Math.min(table.count, to); line += 1)
    lines.push(lineText(table, line));
  return lines.join("\n");
}
