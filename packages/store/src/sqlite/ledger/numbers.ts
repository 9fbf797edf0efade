/** Limits the calls of a run. Row number = run number × this + sequence number. */
const SPAN = 2 ** 24;
export const runNumberSql = (number: string): string => `${number} / ${SPAN}`;

export function callNumber(run: number, seq: number): number {
  return run * SPAN + seq;
}

export function getRunNumber(number: number): number {
  return Math.floor(number / SPAN);
}

export function getCallNumberRange(
  run: number,
  sequences: readonly [first: number, last: number] = [0, SPAN - 1],
): [first: number, last: number] {
  return [run * SPAN + Math.min(sequences[0], SPAN - 1), run * SPAN + Math.min(sequences[1], SPAN - 1)];
}
