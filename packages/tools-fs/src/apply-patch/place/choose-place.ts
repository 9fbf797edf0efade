import { firstAbove } from "./next-at-most.ts";

export interface PlaceEvidence {
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
export function choosePlace(evidence: PlaceEvidence): number | undefined {
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
    const above = firstAbove(headings, place + size - 1);
    return above > 0 && (reach[above - 1] as number) >= place;
  };
}

/** The first place below (or around) an anchor, if that is the same for all of them. */
function belowAll(places: readonly number[], size: number, anchors: readonly number[]): number | undefined {
  let chosen: number | undefined;
  for (const anchor of anchors) {
    const place = places[firstAbove(places, anchor - size)];
    if (place === undefined) continue;
    if (chosen !== undefined && chosen !== place) return undefined;
    chosen = place;
  }
  return chosen;
}

/** The announced line itself, or the place clearly nearer to it than any other: less than half as far. */
function nearestTo(places: readonly number[], expected: number | undefined): number | undefined {
  if (expected === undefined) return undefined;
  const above = firstAbove(places, expected);
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
