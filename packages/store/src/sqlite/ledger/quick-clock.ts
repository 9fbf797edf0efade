export interface Clocks {
  /** Counts sleep, and takes long to ask. */
  readonly slow: () => number;
  /** Stands still while the machine sleeps. */
  readonly steady: () => number;
  /** Goes on while the machine sleeps, and may be set. */
  readonly wall: () => number;
}

/** Milliseconds for which the slow clock is not asked again. */
const FRESH_MS = 1000;
/** Milliseconds by which the others may differ meanwhile: more is a sleep, or a clock that was set. */
const APART_MS = 50;

/**
 * A clock that counts sleep and can be asked with every call: within the last second what the steady one counted is added to what
 * the slow one said, unless the wall clock has gone on by another time. It may be behind by {@link WORKER_DEADLINE_MS}, and by more only where the wall
 * clock was set back by just the time of a sleep, within a second of the last question.
 */
export function quickClock({ slow, steady, wall }: Clocks): () => number {
  let asked: { value: number; steady: number; wall: number } | undefined;
  return () => {
    const now = { steady: steady(), wall: wall() };
    if (asked !== undefined) {
      const passed = now.steady - asked.steady;
      const isApart = Math.abs(now.wall - asked.wall - passed) > APART_MS;
      if (passed <= FRESH_MS && !isApart) return asked.value + passed;
    }
    // Read before the slow one: whoever was stopped in between is ahead, not behind.
    asked = { ...now, value: slow() };
    return asked.value;
  };
}
