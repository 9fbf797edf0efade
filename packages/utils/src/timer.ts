/** Longest delay of a Node timer, in milliseconds: more than 24 days. */
export const MAX_DELAY_MS = 2 ** 31 - 1;

/** A running timer. */
export interface Timer {
  /** Ends the timer. */
  stop(): void;
  /** Lets the process end before the timer. */
  unref(): void;
}

/**
 * Starts a timer for any number of milliseconds. Node fires at once above {@link MAX_DELAY_MS}, `Infinity` included.
 *
 * @example
 * ```ts
 * import { startTimer } from "@haft/utils";
 *
 * const timer = startTimer(() => console.error("too late"), 30_000);
 * timer.stop();
 * ```
 */
export function startTimer(onEnd: () => void, milliseconds: number): Timer {
  const timer = setTimeout(onEnd, Math.min(milliseconds, MAX_DELAY_MS));
  return { stop: () => clearTimeout(timer), unref: () => void timer.unref() };
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/**
 * Returns a time span as text, in the largest unit of which it is a whole number. Below one second, it is rounded to milliseconds.
 *
 * @example
 * ```ts run
 * import { describeDuration } from "@haft/utils";
 * describeDuration(1_800_000); // => "30 minutes"
 * describeDuration(90_000); // => "90 seconds"
 * ```
 */
export function describeDuration(milliseconds: number): string {
  const [name, length] = UNITS.find(([, unit]) => milliseconds >= unit && milliseconds % unit === 0) ?? [
    "millisecond",
    1,
  ];
  const count = Math.round(milliseconds / length);
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
