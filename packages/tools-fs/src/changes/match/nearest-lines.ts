import { foldConfusables } from "../../content/confusables.ts";
import { linesText, type LineTable, lineText } from "../text/line-table.ts";

/** Describes a region of a file that is similar to the wanted text. */
export interface NearRegion {
  /** Contains the first line, from 1. */
  startLine: number;
  /** Contains the last line, from 1. */
  endLine: number;
  /** Contains the lines of the file, cut to the size limit. */
  text: string;
  /** Counts wanted lines in the region, ignoring white space. */
  equalLines: number;
}

const MAX_LINES = 50_000;
const MAX_LINE = 300;
const MAX_REQUESTED = 200;
/** More frequent lines do not indicate a location. */
const MAX_OCCURRENCES = 50;
const LEAST_SIMILAR = 0.45;
const MAX_TEXT = 800;

/**
 * Returns the most similar regions, best first, at a bounded cost. Equal lines vote for the start of the block; without them, the line most
 * similar to the longest requested line counts.
 */
export function nearestRegions(table: LineTable, requested: readonly string[], limit = 3): NearRegion[] {
  const lines = requested.slice(0, MAX_REQUESTED).map(collapseWhitespace);
  const file = readLines(table);
  const votes = new Map<number, number>();
  for (const [offset, line] of lines.entries()) {
    if (line.length < 2) continue;
    const found = file.get(line);
    if (found === undefined || found.length > MAX_OCCURRENCES) continue;
    for (const at of found) votes.set(at - offset, (votes.get(at - offset) ?? 0) + 1);
  }
  const best = [...votes].toSorted((a, b) => b[1] - a[1] || a[0] - b[0]);
  const regions = best.slice(0, limit * 4).map(([start, equalLines]) => ({ start, equalLines }));
  const chosen = withoutOverlaps(regions, requested.length).slice(0, limit);
  if (chosen.length > 0)
    return chosen.map(({ start, equalLines }) => region(table, start, requested.length, equalLines));
  return mostSimilarLines(file, lines, limit).map(({ at, offset }) =>
    region(table, at - offset, requested.length, 0),
  );
}

export function collapseWhitespace(line: string): string {
  return foldConfusables(line.slice(0, MAX_LINE)).replace(/\s+/g, " ").trim();
}

function readLines(table: LineTable): Map<string, number[]> {
  const lines = new Map<string, number[]>();
  for (let line = 0; line < Math.min(table.count, MAX_LINES); line += 1) {
    const key = collapseWhitespace(lineText(table, line));
    const known = lines.get(key);
    if (known === undefined) lines.set(key, [line]);
    else if (known.length <= MAX_OCCURRENCES) known.push(line);
  }
  return lines;
}

function withoutOverlaps<T extends { start: number }>(regions: readonly T[], size: number): T[] {
  const chosen: T[] = [];
  for (const each of regions) {
    if (chosen.every(({ start }) => Math.abs(start - each.start) >= size)) chosen.push(each);
  }
  return chosen;
}

function mostSimilarLines(
  file: ReadonlyMap<string, number[]>,
  lines: readonly string[],
  limit: number,
): { at: number; offset: number }[] {
  let offset = 0;
  for (const [index, line] of lines.entries())
    if (line.length > (lines[offset] as string).length) offset = index;
  const wanted = pairsOf(lines[offset] ?? "");
  if (wanted.size === 0) return [];
  const scored: { at: number; score: number }[] = [];
  for (const [text, [at]] of file) {
    const longest = Math.max(text.length, (lines[offset] as string).length);
    if (Math.min(text.length, (lines[offset] as string).length) * 2 < longest * LEAST_SIMILAR) continue;
    const score = similarity(wanted, text);
    if (score >= LEAST_SIMILAR) scored.push({ at: at as number, score });
  }
  return scored
    .toSorted((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, limit)
    .map(({ at }) => ({ at, offset }));
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at += 1) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** Dice coefficient over pairs of characters. */
function similarity(wanted: ReadonlyMap<string, number>, text: string): number {
  const total = [...wanted.values()].reduce((sum, amount) => sum + amount, 0);
  const left = new Map(wanted);
  let common = 0;
  for (let at = 0; at + 1 < text.length; at += 1) {
    const pair = text.slice(at, at + 2);
    const amount = left.get(pair) ?? 0;
    if (amount === 0) continue;
    left.set(pair, amount - 1);
    common += 1;
  }
  return (2 * common) / (total + Math.max(0, text.length - 1));
}

function region(table: LineTable, start: number, size: number, equalLines: number): NearRegion {
  const from = Math.max(0, start);
  const to = Math.min(table.count, Math.max(start + size, from + 1));
  const text = linesText(table, from, Math.min(to, from + 40));
  const shown = text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).toWellFormed()}…`;
  return { startLine: from + 1, endLine: to, text: shown, equalLines };
}
