const LONGEST_DELAY = 2 ** 31 - 1;

/** A timer for any number of milliseconds. Node itself fires at once for more than 24 days, `Infinity` included. */
export function startTimer(onEnd: () => void, milliseconds: number): ReturnType<typeof setTimeout> {
  return setTimeout(onEnd, Math.min(milliseconds, LONGEST_DELAY));
}
