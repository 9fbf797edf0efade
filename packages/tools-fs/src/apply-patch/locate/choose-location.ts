import type { AnchorBlocks } from "./anchor-blocks.ts";
import { upperBound } from "./minimum-tree.ts";

interface PlaceEvidence {
  places: readonly number[];
  size: number;
  anchors: readonly number[];
  headings: () => readonly number[];
  expected: number | undefined;
  /** The line that no longer belongs to what the heading opens. */
  endOf: (heading: number) => number;
  /** Hunks still to come, this one included, that ask for the same lines. */
  equalHunks: () => number;
}

/** The one place everything points to; `undefined` when nothing decides. */
export function chooseLocation(evidence: PlaceEvidence): number | undefined {
  const { places, size } = evidence;
  // Nearly always there is one place only: what else speaks for it is not worth finding out.
  if (places.length === 1) return places[0];
  const headings = evidence.headings();
  if (evidence.anchors.length === 0 && places.some((place) => place === evidence.expected)) {
    // A heading says less than the very line: it is only the last one above that looks like a function's.
    // But where it speaks for another place and not for this one, both are doubtful.
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

/** Tells whether one of the headings (ascending) stands above or in a place, and still reaches it. */
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

/** The first place below (or around) an anchor, if that is the same for all of them. */
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

/** The announced line itself, or the place clearly nearer to it than any other: less than half as far. */
function nearestTo(places: readonly number[], expected: number | undefined): number | undefined {
  if (expected === undefined) return undefined;
  const above = upperBound(places, expected);
  const near = places.slice(Math.max(0, above - 2), above + 2);
  const [best, second] = near.toSorted((a, b) => Math.abs(a - expected) - Math.abs(b - expected));
  if (best === undefined || second === undefined) return best;
  return Math.abs(best - expected) * 2 < Math.abs(second - expected) ? best : undefined;
}

/** As many equal hunks as places: each takes its turn. */
function nextOfAll(places: readonly number[], size: number, equalHunks: number): number | undefined {
  if (equalHunks !== places.length) return undefined;
  const overlap = places.some((place, index) => index > 0 && place - (places[index - 1] as number) < size);
  return overlap ? undefined : places[0];
}

/** Lines of the file below which a hunk has to lie, as far as they come after the hunk before. */
export interface HunkSurroundings {
  /** Ends of the chains of anchors, ascending; empty when the hunk has none. */
  anchors: readonly number[];
  /** Where the heading of its numbers stands, if it does. */
  headings: readonly number[];
}

export interface Bounds {
  size: number;
  cursor: number;
  /** Line it has to end before, when it has to be the end of the file. */
  end: number | undefined;
  blocks: AnchorBlocks;
}

/**
 * Where a block may go that stands at these places: not above the cursor, and for each anchor only at
 * the first place below or around it, within what it opens.
 */
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

/** The first place below or around an anchor, if that is within what the anchor opens. */
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

/** The places that are {@link findFirstBelow} one of the anchors. All lists ascend; each place is named once. */
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
