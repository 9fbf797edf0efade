import type { PatchHunk } from "../../../src/apply-patch/parse/patch.ts";
import { oldLinesOf } from "../../../src/apply-patch/parse/patch.ts";

/** Lines of a file that a hunk covers, the first counted from 0. */
export interface Place {
  start: number;
  size: number;
}

const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/[\u2018-\u201b]/g, "'"],
  [/[\u201c-\u201f]/g, '"'],
  [/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " "],
];
const plain = (line: string): string =>
  PLAIN.reduce((text, [form, to]) => text.replace(form, to), line).trim();

/** In how far lines have to be equal, strictest first. */
const PASSES: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  plain,
];

/** Lines that are equal in the loosest of the passes. */
export function isAlike(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && plain(one) === plain(other);
}

/**
 * Where Codex puts the hunks of one update, as far as it has been seen to: each below the one before, at the first place
 * of the first pass that has any; `undefined` from the first one on that it does not find. It is checked against every
 * answer that it is used to explain.
 *
 * @param blanks Blank lines between the header of the update and its first `@@` line: a hunk of empty context.
 */
export function whereCodexPuts(
  hunks: readonly PatchHunk[],
  lines: readonly string[],
  blanks = 0,
): (Place | undefined)[] {
  let cursor = 0;
  if (blanks > 0) {
    const empty = Array.from({ length: blanks }, () => ({ kind: "context" as const, text: "" }));
    const taken = find({ line: 0, anchors: [], lines: empty, endOfFile: false, trailingBlanks: 0 }, lines, 0);
    cursor = taken === undefined ? 0 : taken.start + taken.size;
  }
  let failed = false;
  return hunks.map((hunk) => {
    const from = failed ? undefined : belowAnchor(hunk, lines, cursor);
    const place = from === undefined ? undefined : find(hunk, lines, from);
    if (from === undefined || place === undefined) failed = true;
    else cursor = place.start < lines.length ? place.start + place.size : from;
    return place;
  });
}

/** Where Codex finds the `@@` line of a hunk that may begin at `cursor`. */
export function whereCodexAnchors(
  { anchors }: PatchHunk,
  lines: readonly string[],
  cursor: number,
): number | undefined {
  const [anchor] = anchors;
  return anchor === undefined ? undefined : search(lines, [anchor.trimEnd()], cursor, false);
}

/** The first line that is looked at; `undefined` if the `@@` line is not found, or not one line of the file. */
function belowAnchor(hunk: PatchHunk, lines: readonly string[], cursor: number): number | undefined {
  if (hunk.hint !== undefined || hunk.anchors.length > 1) return undefined;
  if (hunk.anchors.length === 0) return cursor;
  const at = whereCodexAnchors(hunk, lines, cursor);
  return at === undefined ? undefined : at + 1;
}

function find(hunk: PatchHunk, lines: readonly string[], from: number): Place | undefined {
  const old = oldLinesOf(hunk);
  if (old.length === 0) return { start: lines.length, size: 0 };
  const start = search(lines, old, from, hunk.endOfFile);
  if (start !== undefined) return { start, size: old.length };
  if (old.at(-1) !== "") return undefined;
  const shorter = old.slice(0, -1);
  const at = shorter.length === 0 ? from : search(lines, shorter, from, hunk.endOfFile);
  return at === undefined ? undefined : { start: at, size: shorter.length };
}

function search(
  lines: readonly string[],
  block: readonly string[],
  from: number,
  atEnd: boolean,
): number | undefined {
  const last = lines.length - block.length;
  for (const form of PASSES) {
    for (let at = atEnd ? Math.max(from, last) : from; at <= last; at += 1)
      if (block.every((line, index) => form(line) === form(lines[at + index] as string))) return at;
  }
  return undefined;
}
