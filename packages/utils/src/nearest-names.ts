/** Longer names are compared by their first part, so that a hostile name costs nothing. */
const MAX_COMPARED = 64;

/**
 * Returns the candidates that a misspelled name most likely meant, the best first. Case and separators (`-`, `_`, `.`, space) do not count.
 * A name that begins another (`patch`, `patch_file`) is near, and two swapped characters are one mistake. Only the first 64 characters
 * count.
 *
 * @param max Largest number of candidates. Default 3.
 * @example
 * ```ts run
 * import { nearestNames } from "@haft/utils";
 * nearestNames("raed-file", ["read_file", "write_file", "glob"]); // => ["read_file"]
 * ```
 */
export function nearestNames(name: string, candidates: Iterable<string>, max = 3): string[] {
  const wanted = fold(name);
  if (wanted === "") return [];
  const near: { candidate: string; distance: number }[] = [];
  for (const candidate of candidates) {
    const folded = fold(candidate);
    const limit = Math.max(1, Math.floor(Math.max(wanted.length, folded.length) * 0.4));
    const distance = begins(wanted, folded) ? 1 : editDistance(wanted, folded, limit);
    if (distance <= limit) near.push({ candidate, distance });
  }
  near.sort((a, b) => a.distance - b.distance);
  return near.slice(0, max).map((entry) => entry.candidate);
}

/**
 * Returns the question that follows an error message, with a space in front: ` Did you mean a or b?`. Without names, it is empty.
 *
 * @example
 * ```ts run
 * import { didYouMean, nearestNames } from "@haft/utils";
 * const near = nearestNames("grpe", ["grep", "glob"]);
 * `There is no tool grpe.${didYouMean(near)}`; // => "There is no tool grpe. Did you mean grep?"
 * ```
 */
export function didYouMean(names: readonly string[]): string {
  return names.length === 0 ? "" : ` Did you mean ${names.join(" or ")}?`;
}

function fold(name: string): string {
  return name
    .slice(0, MAX_COMPARED)
    .toLowerCase()
    .replace(/[-_. ]/g, "");
}

function begins(a: string, b: string): boolean {
  if (a === b || Math.min(a.length, b.length) < 3) return false;
  return a.startsWith(b) || b.startsWith(a);
}

/**
 * Returns the number of edits between two texts: a character inserted, deleted or replaced, or two neighbours swapped. Above `limit`, it
 * returns `limit + 1`.
 *
 * @example
 * ```ts run
 * import { editDistance } from "@haft/utils";
 * editDistance("grep", "grpe", 2); // => 1
 * editDistance("grep", "write_file", 2); // => 3
 * ```
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let best = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, at(before, j - 2) + 1);
      }
      row.push(cost);
      if (cost < best) best = cost;
    }
    if (best > limit) return limit + 1;
    before = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
