import type { AnchorBlocks } from "./anchor-blocks.ts";
import { firstAbove } from "./next-at-most.ts";

/** Lines of the file below which a hunk has to lie, as far as they come after the hunk before. */
export interface Surroundings {
  /** Ends of the chains of anchors, ascending; empty when the hunk has none. */
  anchors: readonly number[];
  /** Where the heading of its numbers stands, if it does. */
  headings: readonly number[];
}

/** What bounds the places of a block. */
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
export function reachable(
  all: readonly number[],
  { anchors, headings }: Surroundings,
  { size, cursor, end, blocks }: Bounds,
): readonly number[] {
  const places = end === undefined ? all : all.filter((place) => place + size === end);
  if (anchors.length > 0) {
    return eachFirstBelow(places, size, anchors, blocks).filter((place) => place >= cursor);
  }
  const open = places.slice(firstAbove(places, cursor - 1));
  const [top] = headings;
  return top === undefined ? open : open.filter((place) => place + size > top);
}

/** The first place below or around an anchor, if that is within what the anchor opens. */
export function firstBelow(
  places: readonly number[],
  size: number,
  anchor: number,
  blocks: AnchorBlocks,
): number | undefined {
  const place = places[firstAbove(places, anchor - size)];
  if (place === undefined || blocks.leftAt(anchor, place) !== undefined) return undefined;
  return place;
}

/** The places that are {@link firstBelow} one of the anchors. All lists ascend; each place is named once. */
export function eachFirstBelow(
  places: readonly number[],
  size: number,
  anchors: readonly number[],
  blocks: AnchorBlocks,
): number[] {
  const found: number[] = [];
  for (const anchor of anchors) {
    const place = firstBelow(places, size, anchor, blocks);
    if (place !== undefined && place !== found.at(-1)) found.push(place);
  }
  return found;
}
