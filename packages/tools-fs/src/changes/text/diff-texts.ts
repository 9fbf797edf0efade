import { refineRegion } from "./content-diff.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** The largest diff of two texts, in bytes. */
const MOST_BYTES = 64 * 1024;

/** A unified diff of two texts; `undefined` where it would be too large, and where they are the same. */
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
