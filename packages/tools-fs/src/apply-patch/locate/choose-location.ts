import type { AnchorBlocks } from "./anchor-blocks.ts";
import { upperBound } from "./minimum-tree.ts";

interface PlaceEvidence {
  places: readonly number[];
  size: number;
  anchors: readonly number[];
  headings: () => readonly number[];
  expected: number | undefined;
  endOf: (heading: number) => number;
  /** Remaining hunks with the same lines, including this hunk. */
  equalHunks: () => number;
}

export function chooseLocation(evidence: PlaceEvidence): number | undefined {
  const { places, size } = evidence;
  if (places.length === 1) return places[0];
  const headings = evidence.headings();
  if (evidence.anchors.length === 0 && places.some((place) => place === evidence.expected)) {
    // The announced line outweighs a heading, which may belong to an earlier function. If the heading supports only another location, both
    // are doubtful.
    const speaksFor = placesBelonging(headings, size, evidence.endOf);
    return speaksFor(evidence.expected) || !places.some(speaksFor) ? evidence.expected : undefined;
  }
  return (
    belowAll(places, size, evidence.anchors) ??
    belowAll(places, size, headings) ??
    nearestTo(places, evidence.expected) ??
    nextOfAll(places, size, evidence.equalHunks())
  );
}

/** Returns a test if a heading (ascending) above or in a location still covers it. */
function placesBelonging(
  headings: readonly number[],
  size: number,
  endOf: (heading: number) => number,
): (place: number | undefined) => boolean {
  let furthest = -1;
  const reach = headings.map((line) => (furthest = Math.max(furthest, endOf(line))));
  return (place) => {
    if (place === undefined) return false;
    const above = upperBound(headings, place + size - 1);
    return above > 0 && (reach[above - 1] as number) >= place;
  };
}

function belowAll(places: readonly number[], size: number, anchors: readonly number[]): number | undefined {
  let chosen: number | undefined;
  for (const anchor of anchors) {
    const place = places[upperBound(places, anchor - size)];
    if (place === undefined) continue;
    if (chosen !== undefined && chosen !== place) return undefined;
    chosen = place;
  }
  return chosen;
}

/** Returns the announced line, or the location less than half as far from it as any other. */
function nearestTo(places: readonly number[], expected: number | undefined): number | undefined {
  if (expected === undefined) return undefined;
  const above = upperBound(places, expected);
  const near = places.slice(Math.max(0, above - 2), above + 2);
  const [best, second] = near.toSorted((a, b) => Math.abs(a - expected) - Math.abs(b - expected));
  if (best === undefined || second === undefined) return best;
  return Math.abs(best - expected) * 2 < Math.abs(second - expected) ? best : undefined;
}

function nextOfAll(places: readonly number[], size: number, equalHunks: number): number | undefined {
  if (equalHunks !== places.length) return undefined;
  const overlap = places.some((place, index) => index > 0 && place - (places[index - 1] as number) < size);
  return overlap ? undefined : places[0];
}

/** Lines below which the hunk must begin. Lines above the previous hunk are omitted. */
export interface HunkSurroundings {
  /** Ends of the anchor chains, ascending. Empty without anchors. */
  anchors: readonly number[];
  headings: readonly number[];
}

export interface Bounds {
  size: number;
  cursor: number;
  end: number | undefined;
  blocks: AnchorBlocks;
}

/** Filters locations: not above the cursor, and for each anchor only the first location below or around it, within its block. */
export function filterReachable(
  all: readonly number[],
  { anchors, headings }: HunkSurroundings,
  { size, cursor, end, blocks }: Bounds,
): readonly number[] {
  const places = end === undefined ? all : all.filter((place) => place + size === end);
  if (anchors.length > 0) {
    return listFirstBelow(places, size, anchors, blocks).filter((place) => place >= cursor);
  }
  const open = places.slice(upperBound(places, cursor - 1));
  const [top] = headings;
  return top === undefined ? open : open.filter((place) => place + size > top);
}

/** Returns the first location below or around an anchor, if it is within the anchor's block. */
export function findFirstBelow(
  places: readonly number[],
  size: number,
  anchor: number,
  blocks: AnchorBlocks,
): number | undefined {
  const place = places[upperBound(places, anchor - size)];
  if (place === undefined || blocks.findEndBefore(anchor, place) !== undefined) return undefined;
  return place;
}

export function listFirstBelow(
  places: readonly number[],
  size: number,
  anchors: readonly number[],
  blocks: AnchorBlocks,
): number[] {
  const found: number[] = [];
  for (const anchor of anchors) {
    const place = findFirstBelow(places, size, anchor, blocks);
    if (place !== undefined && place !== found.at(-1)) found.push(place);
  }
  return found;
}
