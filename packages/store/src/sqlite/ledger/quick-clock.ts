export interface Clocks {
  /** Counts sleep, but is slow to read. */
  readonly slow: () => number;
  /** Stops during sleep. */
  readonly steady: () => number;
  /** Continues during sleep, but may be set. */
  readonly wall: () => number;
}

const FRESH_MS = 1000;
/** Tolerated difference; more means sleep or a set clock. */
const APART_MS = 50;

/**
 * Creates a fast clock that counts sleep. Within a second of reading the slow clock, it adds the steady clock's progress, unless the wall
 * clock differs. It lags at most {@link APART_MS}, unless the wall clock was set back by exactly the time of a sleep.
 */
export function quickClock({ slow, steady, wall }: Clocks): () => number {
  let reading: { value: number; steady: number; wall: number } | undefined;
  return () => {
    const now = { steady: steady(), wall: wall() };
    if (reading !== undefined) {
      const passed = now.steady - reading.steady;
      const isApart = Math.abs(now.wall - reading.wall - passed) > APART_MS;
      if (passed <= FRESH_MS && !isApart) return reading.value + passed;
    }
    // An interruption then makes the result too late, not too early.
    reading = { ...now, value: slow() };
    return reading.value;
  };
}
