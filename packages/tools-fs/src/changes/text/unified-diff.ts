import { LF } from "../../lines/scanner.ts";
import { countLineFeeds } from "./file-text.ts";
import { type LineRegion, nextLine } from "./line-regions.ts";

export interface UnifiedDiff {
  text: string;
  added: number;
  removed: number;
  firstChangedLine: number;
}

const CONTEXT = 3;

/**
 * The cost depends on the changed lines, their context, and the line feeds before the last change.
 *
 * @param maxBytes Returns `undefined` for a larger diff.
 */
export function unifiedDiff(
  labels: { before: string; after: string },
  before: Buffer,
  after: Buffer,
  regions: readonly LineRegion[],
  maxBytes: number,
): UnifiedDiff | undefined {
  const parts = [`--- ${labels.before}\n+++ ${labels.after}\n`];
  let size = 0;
  let added = 0;
  let removed = 0;
  let firstChangedLine = 1;
  // Line feeds before the last position, and the difference in the new text.
  let counted = 0;
  let lines = 0;
  let gained = 0;
  for (let index = 0; index < regions.length;) {
    const group = [regions[index] as LineRegion];
    index += 1;
    while (
      index < regions.length &&
      isNear(before, group.at(-1) as LineRegion, regions[index] as LineRegion)
    ) {
      group.push(regions[index] as LineRegion);
      index += 1;
    }
    const first = group[0] as LineRegion;
    const last = group.at(-1) as LineRegion;
    const from = linesBack(before, first.oldStart, CONTEXT);
    const to = linesForward(before, last.oldEnd, CONTEXT);
    if (last.oldEnd - first.oldStart + last.newEnd - first.newStart > maxBytes) return undefined;
    const newFrom = first.newStart - (first.oldStart - from);
    const newTo = last.newEnd + (to - last.oldEnd);
    lines += countLineFeeds(before, counted, from);
    counted = from;
    const newLines = lines + gained;
    const body: string[] = [];
    let at = from;
    for (const region of group) {
      body.push(prefixed(" ", before, at, region.oldStart));
      body.push(prefixed("-", before, region.oldStart, region.oldEnd));
      body.push(prefixed("+", after, region.newStart, region.newEnd));
      removed += lineCount(before, region.oldStart, region.oldEnd);
      added += lineCount(after, region.newStart, region.newEnd);
      gained += countLineFeeds(after, region.newStart, region.newEnd);
      gained -= countLineFeeds(before, region.oldStart, region.oldEnd);
      at = region.oldEnd;
    }
    body.push(prefixed(" ", before, at, to));
    if (parts.length === 1) {
      firstChangedLine = newLines + countLineFeeds(after, newFrom, first.newStart) + 1;
    }
    const oldRange = range(lines, lineCount(before, from, to));
    const newRange = range(newLines, lineCount(after, newFrom, newTo));
    const text = `@@ -${oldRange} +${newRange} @@\n${body.join("")}`;
    size += text.length;
    if (size > maxBytes) return undefined;
    parts.push(text);
  }
  return { text: parts.join(""), added, removed, firstChangedLine };
}

function isNear(before: Buffer, first: LineRegion, second: LineRegion): boolean {
  return linesForward(before, first.oldEnd, 2 * CONTEXT) >= second.oldStart;
}

function linesBack(bytes: Buffer, at: number, count: number): number {
  let start = at;
  for (let n = 0; n < count && start > 0; n += 1)
    start = start === 1 ? 0 : bytes.lastIndexOf(LF, start - 2) + 1;
  return start;
}

function linesForward(bytes: Buffer, at: number, count: number): number {
  let end = at;
  for (let n = 0; n < count && end < bytes.length; n += 1) end = nextLine(bytes, end, bytes.length);
  return end;
}

function lineCount(bytes: Buffer, from: number, to: number): number {
  if (from >= to) return 0;
  return countLineFeeds(bytes, from, to) + (bytes[to - 1] === LF ? 0 : 1);
}

/** A range counts from 1. An empty range names the line before. */
function range(linesBefore: number, count: number): string {
  if (count === 0) return `${linesBefore},0`;
  return count === 1 ? String(linesBefore + 1) : `${linesBefore + 1},${count}`;
}

function prefixed(sign: string, bytes: Buffer, from: number, to: number): string {
  if (from >= to) return "";
  const text = bytes.toString("utf8", from, to);
  const terminated = text.endsWith("\n");
  const lines = (terminated ? text.slice(0, -1) : text).replaceAll("\n", `\n${sign}`);
  return `${sign}${lines}\n${terminated ? "" : "\\ No newline at end of file\n"}`;
}
