import type { LineRegion } from "./line-regions.ts";
import { unifiedDiff } from "./unified-diff.ts";

const MAX_LINES = 20_000;
const MAX_BYTES = 1024 * 1024;
const MAX_EDIT_LENGTH = 1_000;

/** Splits a region into differing lines. Beyond the limits of size and edit distance it stays whole. */
export async function refineRegion(before: Buffer, after: Buffer, region: LineRegion): Promise<LineRegion[]> {
  if (region.oldEnd - region.oldStart > MAX_BYTES || region.newEnd - region.newStart > MAX_BYTES)
    return [region];
  // In latin1, string lengths are byte lengths.
  const oldLines = splitLines(before.toString("latin1", region.oldStart, region.oldEnd));
  const newLines = splitLines(after.toString("latin1", region.newStart, region.newEnd));
  if (oldLines.length < 2 || newLines.length < 2) return [region];
  if (oldLines.length > MAX_LINES || newLines.length > MAX_LINES) return [region];
  const { diffArrays } = await import("diff");
  const changes = diffArrays(oldLines, newLines, { maxEditLength: MAX_EDIT_LENGTH });
  if (changes === undefined) return [region];
  const regions: LineRegion[] = [];
  let oldAt = region.oldStart;
  let newAt = region.newStart;
  let open: LineRegion | undefined;
  for (const change of changes) {
    const size = change.value.reduce((sum, line) => sum + line.length, 0);
    if (change.added || change.removed) {
      open ??= { oldStart: oldAt, oldEnd: oldAt, newStart: newAt, newEnd: newAt };
    } else open = undefined;
    if (!change.added) oldAt += size;
    if (!change.removed) newAt += size;
    if (open === undefined) continue;
    if (open.oldEnd === open.oldStart && open.newEnd === open.newStart) regions.push(open);
    open.oldEnd = oldAt;
    open.newEnd = newAt;
  }
  return regions;
}

function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

const MOST_BYTES = 64 * 1024;

/** Returns `undefined` if the texts are equal or the diff is too large. */
export async function diffTexts(
  labels: { before: string; after: string },
  before: string,
  after: string,
): Promise<string | undefined> {
  if (before === after) return undefined;
  const [old, now] = [Buffer.from(ended(before)), Buffer.from(ended(after))];
  const whole = { oldStart: 0, oldEnd: old.length, newStart: 0, newEnd: now.length };
  return unifiedDiff(labels, old, now, await refineRegion(old, now, whole), MOST_BYTES)?.text;
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
