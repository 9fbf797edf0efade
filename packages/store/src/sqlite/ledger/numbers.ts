/** Maximum calls of a run. A call's row number is its run number times this, plus its sequence number. */
const SPAN = 2 ** 24;
export const runNumberSql = (number: string): string => `${number} / ${SPAN}`;

export function callNumber(run: number, seq: number): number {
  return run * SPAN + seq;
}

export function getRunNumber(number: number): number {
  return Math.floor(number / SPAN);
}

/** Returns the row numbers of a run, or of a range of its sequence numbers. */
export function getCallNumberRange(
  run: number,
  places: readonly [first: number, last: number] = [0, SPAN - 1],
): [first: number, last: number] {
  return [run * SPAN + Math.min(places[0], SPAN - 1), run * SPAN + Math.min(places[1], SPAN - 1)];
}
