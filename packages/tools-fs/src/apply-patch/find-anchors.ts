import type { LineMatcher } from "../changes/line-matcher.ts";
import { MATCH_PASSES } from "../changes/match-pass.ts";

/**
 * Follows a chain of anchors: for every place of the first, the next place of the second below it,
 * and so on. Answers the lines (from 0, ascending) at which a chain ends.
 *
 * @param blocks Numbers of the anchors in the matcher, each a block of one line.
 * @param from First line to look at.
 */
export function findAnchors(matcher: LineMatcher, blocks: readonly number[], from: number): number[] {
  const [first, ...rest] = blocks;
  if (first === undefined) return [];
  let ends = [...placesOf(matcher, first, from)];
  for (const block of rest) {
    const places = placesOf(matcher, block, from);
    const next = ends.flatMap((end) => places[firstAbove(places, end)] ?? []);
    ends = [...new Set(next)];
  }
  return ends;
}

function placesOf(matcher: LineMatcher, block: number, from: number): readonly number[] {
  for (const pass of MATCH_PASSES) {
    const places = matcher.places(block, pass);
    if (places.length > 0 && (places.at(-1) as number) >= from)
      return places.slice(firstAbove(places, from - 1));
  }
  return [];
}

/** Position of the first entry greater than `value` in an ascending list. */
export function firstAbove(list: readonly number[], value: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as number) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
