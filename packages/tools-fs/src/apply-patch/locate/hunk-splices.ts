import type { LineEnding } from "../../changes/text/file-text.ts";
import type { LineTable } from "../../changes/text/line-table.ts";
import type { Splice } from "../../changes/text/splice.ts";
import { changesFinalNewline } from "../parse/patch.ts";
import type { LocatedHunk } from "./hunk-placement.ts";

interface OpenEnd {
  ending: LineEnding;
}

/**
 * Returns the byte ranges that hunks replace, never context. A new line gets the ending of the replaced line, else of the next line. A
 * missing final ending stays missing.
 */
export function hunkSplices(
  table: LineTable,
  located: readonly LocatedHunk[],
  defaultEnding: LineEnding,
): Splice[] {
  const { count } = table;
  const open: OpenEnd | undefined =
    count > 0 && endingOf(table, count - 1) === undefined
      ? {
          ending: (count > 1 ? endingOf(table, count - 2) : undefined) ?? endingOf(table, 0) ?? defaultEnding,
        }
      : undefined;
  const splices: Splice[] = [];
  // Insertions at the end follow all other hunks.
  for (const each of located.toSorted((a, b) => a.start - b.start)) {
    splices.push(...splicesOf(table, each, defaultEnding, open));
  }
  const joined = joinTouching(splices);
  const closed = open === undefined ? joined : closeAtEnd(table, joined, open);
  const last = located.find(({ start, size }) => start + size === count);
  const change = last && changesFinalNewline(last.hunk);
  if (change === "add" && open !== undefined) return addFinalNewline(table, closed, open.ending);
  return change === "remove" && open === undefined ? removeFinalNewline(table, closed) : closed;
}

function addFinalNewline(
  { bytes: { length } }: LineTable,
  splices: readonly Splice[],
  ending: LineEnding,
): Splice[] {
  const last = splices.at(-1);
  const added = Buffer.from(ending);
  if (last === undefined || last.end < length)
    return [...splices, { start: length, end: length, bytes: added }];
  return [...splices.slice(0, -1), { ...last, bytes: Buffer.concat([last.bytes, added]) }];
}

function removeFinalNewline(
  { bytes: { length }, ends, count }: LineTable,
  splices: readonly Splice[],
): Splice[] {
  const last = splices.at(-1);
  const end = ends[count - 1] as number;
  if (last === undefined || last.end < length)
    return [...splices, { start: end, end: length, bytes: Buffer.alloc(0) }];
  const bytes = Buffer.from(last.bytes);
  const cut = bytes.at(-1) !== 10 ? 0 : bytes.at(-2) === 13 ? 2 : 1;
  return [...splices.slice(0, -1), { ...last, bytes: bytes.subarray(0, bytes.length - cut) }];
}

function splicesOf(
  table: LineTable,
  { hunk, start }: LocatedHunk,
  defaultEnding: LineEnding,
  open: OpenEnd | undefined,
): Splice[] {
  const splices: Splice[] = [];
  let line = start;
  for (let at = 0; at < hunk.lines.length;) {
    if (hunk.lines[at]?.kind === "context") {
      line += 1;
      at += 1;
      continue;
    }
    const from = line;
    const added: string[] = [];
    for (; at < hunk.lines.length && hunk.lines[at]?.kind !== "context"; at += 1) {
      const { kind, text } = hunk.lines[at] as (typeof hunk.lines)[number];
      if (kind === "remove") line += 1;
      else added.push(text);
    }
    const beyond = endingAround(table, from, line, open) ?? defaultEnding;
    const texts = added.map((text, index) => {
      const replaced = from + index < line ? (endingOf(table, from + index) ?? open?.ending) : undefined;
      return text + (replaced ?? beyond);
    });
    splices.push({
      start: startOf(table, from, open),
      end: startOf(table, line, open),
      bytes: Buffer.from(texts.join("")),
    });
  }
  return splices;
}

/** Tries the next line, the last replaced line, then the line before. */
function endingAround(
  table: LineTable,
  from: number,
  to: number,
  open: OpenEnd | undefined,
): LineEnding | undefined {
  const { count } = table;
  if (count === 0) return undefined;
  const line = to < count ? to : Math.max(0, to - 1);
  return (
    endingOf(table, line) ?? open?.ending ?? endingOf(table, Math.max(0, from - 1)) ?? endingOf(table, 0)
  );
}

function endingOf(table: LineTable, line: number): LineEnding | undefined {
  const end = table.ends[line] as number;
  const next = table.starts[line + 1] as number;
  if (next === end) return undefined;
  if (next - end === 2) return "\r\n";
  return table.bytes[end] === 10 ? "\n" : "\r";
}

function startOf(table: LineTable, line: number, open: OpenEnd | undefined): number {
  const start = table.starts[line] as number;
  return line === table.count && open !== undefined ? start + open.ending.length : start;
}

function joinTouching(splices: readonly Splice[]): Splice[] {
  const joined: Splice[] = [];
  for (const splice of splices) {
    const last = joined.at(-1);
    if (last !== undefined && last.end === splice.start) {
      joined[joined.length - 1] = {
        start: last.start,
        end: splice.end,
        bytes: Buffer.concat([last.bytes, splice.bytes]),
      };
    } else joined.push(splice);
  }
  return joined;
}

function closeAtEnd(table: LineTable, splices: readonly Splice[], { ending }: OpenEnd): Splice[] {
  const { bytes, starts, ends, count } = table;
  const length = bytes.length;
  const last = splices.at(-1);
  if (last === undefined || last.end <= length) return [...splices];
  const before = splices.slice(0, -1);
  if (last.bytes.length > 0) {
    const added = Buffer.from(last.bytes);
    const cut = added.at(-2) === 13 && added.at(-1) === 10 ? 2 : 1;
    const remaining = added.subarray(0, added.length - cut);
    if (last.start <= length) return [...before, { start: last.start, end: length, bytes: remaining }];
    return [
      ...before,
      { start: length, end: length, bytes: Buffer.concat([Buffer.from(ending), remaining]) },
    ];
  }
  const line = lineStartingAt(starts, count, last.start);
  const start = line === 0 ? last.start : (ends[line - 1] as number);
  return [...before, { start, end: length, bytes: last.bytes }];
}

function lineStartingAt(starts: Int32Array, count: number, byte: number): number {
  let line = count;
  while (line > 0 && (starts[line - 1] as number) >= byte) line -= 1;
  return line;
}
