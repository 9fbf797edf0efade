/** Longer names are compared by their first part only, so that a hostile name costs nothing. */
const MAX_COMPARED = 64;

/**
 * The candidates a misspelled name most likely meant, best first: at most `max`, none when nothing
 * is near. Case and separators (`-`, `_`, `.`, space) do not count; a name that begins another
 * (`patch` / `patch_file`) is near; swapped neighbours are one mistake.
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

/** ` Did you mean a or b?`, or nothing. */
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

/** Edits (insert, delete, replace, swap neighbours) between two strings, or `limit + 1` when there are more. */
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
