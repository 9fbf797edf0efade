/** Longest delay of a timer, in milliseconds: more than 24 days. */
export const LONGEST_DELAY = 2 ** 31 - 1;

/** A timer for any number of milliseconds. Node itself fires at once for more than {@link LONGEST_DELAY}, `Infinity` included. */
export function startTimer(onEnd: () => void, milliseconds: number): ReturnType<typeof setTimeout> {
  return setTimeout(onEnd, Math.min(milliseconds, LONGEST_DELAY));
}
