import type { HaftError } from "@haft/plugin-sdk";
import { fileToolError } from "../errors.ts";
import type { FileWindow } from "../lines/file-window.ts";
import { type LineEnd, SLICE_BYTES } from "../lines/scanner.ts";

const STEP = 64 * 1024;

/** File position of the character `cursor` UTF-16 code units into the line that begins at `line`. */
export async function findCursor(
  window: FileWindow,
  line: number,
  lineEnd: LineEnd,
  request: { path: string; offset: number; cursor: number },
): Promise<number> {
  const { scanner } = window;
  const { cursor } = request;
  let units = 0;
  for (let position = line; ;) {
    await window.load(position, SLICE_BYTES);
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
  const message = `cursor=${request.cursor} of line ${request.offset} lies inside one character (a surrogate pair).`;
  const fix = `Use cursor=${after - 2} or cursor=${after}.`;
  return fileToolError("INVALID_ARGUMENTS", message, { fix, details: { valid: [after - 2, after] } });
}

function pastLine(request: { offset: number; cursor: number }, length: number): HaftError {
  const message = `cursor=${request.cursor} is past the end of line ${request.offset}, which has ${length} characters.`;
  const fix = `Use offset=${request.offset + 1} without cursor for the next line, or a cursor up to ${length}.`;
  return fileToolError("INVALID_ARGUMENTS", message, { fix, details: { length } });
}
