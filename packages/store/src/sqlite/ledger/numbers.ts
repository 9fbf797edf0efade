/** Calls that a run can have. A run's number times this, and the place of a call in the run, is the number of its row. */
const SPAN = 2 ** 24;
export const runNumberSql = (number: string): string => `${number} / ${SPAN}`;

export function callNumber(run: number, seq: number): number {
  return run * SPAN + seq;
}

export function getRunNumber(number: number): number {
  return Math.floor(number / SPAN);
}

/** The numbers that calls of a run can have; with places of it, those at these. */
export function getCallNumberRange(
  run: number,
  places: readonly [first: number, last: number] = [0, SPAN - 1],
): [first: number, last: number] {
  return [run * SPAN + Math.min(places[0], SPAN - 1), run * SPAN + Math.min(places[1], SPAN - 1)];
}
