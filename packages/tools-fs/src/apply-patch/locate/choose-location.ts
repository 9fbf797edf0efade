import type { AnchorBlocks } from "./anchor-blocks.ts";
import { upperBound } from "./minimum-tree.ts";

interface LocationEvidence {
  locations: readonly number[];
  size: number;
  anchors: readonly number[];
  headings: () => readonly number[];
  expected: number | undefined;
  endOf: (heading: number) => number;
  /** Includes this hunk. */
  equalHunks: () => number;
}

export function chooseLocation(evidence: LocationEvidence): number | undefined {
  const { locations, size } = evidence;
  if (locations.length === 1) return locations[0];
  const headings = evidence.headings();
  if (evidence.anchors.length === 0 && locations.some((location) => location === evidence.expected)) {
    // The announced line outweighs a heading, which may belong to an earlier function. If the heading supports only another location, both
    // are doubtful.
    const speaksFor = locationsBelonging(headings, size, evidence.endOf);
    return speaksFor(evidence.expected) || !locations.some(speaksFor) ? evidence.expected : undefined;
  }
  return (
    belowAll(locations, size, evidence.anchors) ??
    belowAll(locations, size, headings) ??
    nearestTo(locations, evidence.expected) ??
    nextOfAll(locations, size, evidence.equalHunks())
  );
}

function locationsBelonging(
  headings: readonly number[],
  size: number,
  endOf: (heading: number) => number,
): (location: number | undefined) => boolean {
  let furthest = -1;
  const reach = headings.map((line) => (furthest = Math.max(furthest, endOf(line))));
  return (location) => {
    if (location === undefined) return false;
    const above = upperBound(headings, location + size - 1);
    return above > 0 && (reach[above - 1] as number) >= location;
  };
}

function belowAll(
  locations: readonly number[],
  size: number,
  anchors: readonly number[],
): number | undefined {
  let chosen: number | undefined;
  for (const anchor of anchors) {
    const location = locations[upperBound(locations, anchor - size)];
    if (location === undefined) continue;
    if (chosen !== undefined && chosen !== location) return undefined;
    chosen = location;
  }
  return chosen;
}

/** Returns the announced line, or a location less than half as far as any other. */
function nearestTo(locations: readonly number[], expected: number | undefined): number | undefined {
  if (expected === undefined) return undefined;
  const above = upperBound(locations, expected);
  const near = locations.slice(Math.max(0, above - 2), above + 2);
  const [best, second] = near.toSorted((a, b) => Math.abs(a - expected) - Math.abs(b - expected));
  if (best === undefined || second === undefined) return best;
  return Math.abs(best - expected) * 2 < Math.abs(second - expected) ? best : undefined;
}

function nextOfAll(locations: readonly number[], size: number, equalHunks: number): number | undefined {
  if (equalHunks !== locations.length) return undefined;
  const overlap = locations.some(
    (location, index) => index > 0 && location - (locations[index - 1] as number) < size,
  );
  return overlap ? undefined : locations[0];
}

/** Lines below which the hunk must begin, without lines above the previous hunk. */
export interface HunkSurroundings {
  /** Ends of the anchor chains, ascending. */
  anchors: readonly number[];
  headings: readonly number[];
}

export interface Bounds {
  size: number;
  cursor: number;
  end: number | undefined;
  blocks: AnchorBlocks;
}

/** For each anchor, only the first location below or around it counts. */
export function filterReachable(
  all: readonly number[],
  { anchors, headings }: HunkSurroundings,
  { size, cursor, end, blocks }: Bounds,
): readonly number[] {
  const locations = end === undefined ? all : all.filter((location) => location + size === end);
  // Earlier locations belong to earlier hunks, so they must not be the first below an anchor.
  const open = locations.slice(upperBound(locations, cursor - 1));
  if (anchors.length > 0) return listFirstBelow(open, size, anchors, blocks);
  const [top] = headings;
  return top === undefined ? open : open.filter((location) => location + size > top);
}

export function findFirstBelow(
  locations: readonly number[],
  size: number,
  anchor: number,
  blocks: AnchorBlocks,
): number | undefined {
  const location = locations[upperBound(locations, anchor - size)];
  if (location === undefined || blocks.findEndBefore(anchor, location) !== undefined) return undefined;
  return location;
}

export function listFirstBelow(
  locations: readonly number[],
  size: number,
  anchors: readonly number[],
  blocks: AnchorBlocks,
): number[] {
  const found: number[] = [];
  for (const anchor of anchors) {
    const location = findFirstBelow(locations, size, anchor, blocks);
    if (location !== undefined && location !== found.at(-1)) found.push(location);
  }
  return found;
}
