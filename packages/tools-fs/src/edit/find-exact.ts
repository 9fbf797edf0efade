import { CR, LF } from "../lines/scanner.ts";
import type { EditRequest } from "./edit-request.ts";

export interface TextRange {
  start: number;
  end: number;
}

/** Includes overlapping matches. A line break in the text matches any line ending; everything else is compared byte by byte. */
export function findExact(bytes: Buffer, from: number, needle: string, limit: number): TextRange[] {
  const segments = needle.split(/\r\n|\r|\n/).map((segment) => Buffer.from(segment));
  if (segments.length === 1) return findBytes(bytes, from, segments[0] as Buffer, limit);
  if (!bytes.includes(CR, from)) return findBytes(bytes, from, joinLines(segments), limit);
  const anchor = longest(segments);
  return (segments[anchor] as Buffer).length === 0
    ? findBlankLines(bytes, from, segments.length - 1, limit)
    : findAround(bytes, from, segments, anchor, limit);
}

function findBytes(bytes: Buffer, from: number, needle: Buffer, limit: number): TextRange[] {
  const matches: TextRange[] = [];
  if (needle.length === 0) return matches;
  for (
    let at = bytes.indexOf(needle, from);
    at >= 0 && matches.length < limit;
    at = bytes.indexOf(needle, at + 1)
  ) {
    matches.push({ start: at, end: at + needle.length });
  }
  return matches;
}

function findAround(
  bytes: Buffer,
  from: number,
  segments: readonly Buffer[],
  anchor: number,
  limit: number,
): TextRange[] {
  const matches: TextRange[] = [];
  const wanted = segments[anchor] as Buffer;
  for (
    let at = bytes.indexOf(wanted, from);
    at >= 0 && matches.length < limit;
    at = bytes.indexOf(wanted, at + 1)
  ) {
    const start = matchBackward(bytes, from, at, segments, anchor);
    if (start < 0) continue;
    const end = matchForward(bytes, at + wanted.length, segments, anchor);
    if (end >= 0) matches.push({ start, end });
  }
  return matches;
}

function findBlankLines(bytes: Buffer, from: number, breaks: number, limit: number): TextRange[] {
  const matches: TextRange[] = [];
  for (let at = from; at < bytes.length && matches.length < limit; at += 1) {
    if (bytes[at] !== LF && bytes[at] !== CR) continue;
    let end = at;
    for (let seen = 0; seen < breaks && end >= 0; seen += 1) end = skipEnding(bytes, end);
    if (end >= 0) matches.push({ start: at, end });
    if (bytes[at] === CR && bytes[at + 1] === LF) at += 1;
  }
  return matches;
}

function matchBackward(
  bytes: Buffer,
  from: number,
  at: number,
  segments: readonly Buffer[],
  anchor: number,
): number {
  let position = at;
  for (let index = anchor - 1; index >= 0; index -= 1) {
    position = skipEndingBackward(bytes, from, position);
    const segment = segments[index] as Buffer;
    const start = position - segment.length;
    if (position < 0 || start < from || !equals(bytes, start, segment)) return -1;
    position = start;
  }
  return position;
}

function matchForward(bytes: Buffer, at: number, segments: readonly Buffer[], anchor: number): number {
  let position = at;
  for (let index = anchor + 1; index < segments.length; index += 1) {
    position = skipEnding(bytes, position);
    const segment = segments[index] as Buffer;
    if (position < 0 || !equals(bytes, position, segment)) return -1;
    position += segment.length;
  }
  return position;
}

function equals(bytes: Buffer, at: number, segment: Buffer): boolean {
  const end = at + segment.length;
  return end <= bytes.length && bytes.compare(segment, 0, segment.length, at, end) === 0;
}

function skipEnding(bytes: Buffer, at: number): number {
  if (bytes[at] === LF) return at + 1;
  if (bytes[at] !== CR) return -1;
  return bytes[at + 1] === LF ? at + 2 : at + 1;
}

function skipEndingBackward(bytes: Buffer, from: number, at: number): number {
  if (at - 1 < from) return -1;
  if (bytes[at - 1] === CR) return at - 1;
  if (bytes[at - 1] !== LF) return -1;
  return at - 2 >= from && bytes[at - 2] === CR ? at - 2 : at - 1;
}

function longest(segments: readonly Buffer[]): number {
  let best = 0;
  for (const [index, segment] of segments.entries()) {
    if (segment.length > (segments[best] as Buffer).length) best = index;
  }
  return best;
}

function joinLines(segments: readonly Buffer[]): Buffer {
  const separator = Buffer.from("\n");
  return Buffer.concat(
    segments.flatMap((segment, index) => (index === 0 ? [segment] : [separator, segment])),
  );
}

/** Such line endings are literal. This includes removing a CR before an LF. */
export function isLineEndingEdit({ oldText, newText }: EditRequest): boolean {
  if (oldText === newText) return false;
  return unify(oldText) === unify(newText) || takesReturnAway(oldText, newText);
}

const unify = (text: string): string => text.replace(/\r\n|\r/g, "\n");

const takesReturnAway = (oldText: string, newText: string): boolean =>
  oldText.endsWith("\r") && newText === oldText.slice(0, -1);

/** Returns literal matches, without half of a CRLF unless its CR is removed. */
export function findLiteral(bytes: Buffer, from: number, edit: EditRequest, limit: number): TextRange[] {
  const { oldText, newText } = edit;
  const needle = Buffer.from(oldText);
  const matches: TextRange[] = [];
  const takesAway = takesReturnAway(oldText, newText);
  // Without LF, CRs separate lines.
  const mayTake = takesAway && bytes.includes(LF);
  for (let at = bytes.indexOf(needle, from); at >= 0 && matches.length < limit;) {
    const end = at + needle.length;
    const splitsStart = needle[0] === LF && bytes[at - 1] === CR;
    const splitsEnd = bytes[end - 1] === CR && bytes[end] === LF;
    const fits = !splitsStart && (takesAway ? mayTake : !splitsEnd);
    if (fits) matches.push({ start: at, end });
    at = bytes.indexOf(needle, fits ? end : at + 1);
  }
  return matches;
}
