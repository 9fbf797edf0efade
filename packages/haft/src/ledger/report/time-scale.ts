/** Something that lasted; milliseconds since the epoch. */
export interface Interval {
  from: number;
  to: number;
}

/** Where times are on an axis. */
export interface TimeScale {
  /** Between 0 and {@link WIDTH}. */
  at(time: number): number;
  /** Where nothing happened for long, so that it is drawn shorter than it was. */
  breaks: readonly { at: number; ms: number }[];
  /** Round moments to label, with the milliseconds since the beginning. */
  ticks: readonly { at: number; ms: number }[];
}

/** Units of an axis from end to end. */
export const WIDTH = 1000;
/** Of the axis, for a pause that is drawn shorter. */
const BREAK = 24;
/** A pause longer than this part of all that happened is one. */
const LONG = 0.15;

/**
 * An axis on which calls can be seen, however long somebody thought in between: long pauses are drawn short, and marked.
 */
export function timeScale(intervals: readonly Interval[]): TimeScale {
  const busy = mergeIntervals(intervals);
  const first = busy[0]?.from ?? 0;
  const total = busy.reduce((sum, { from, to }) => sum + to - from, 0);
  const gaps = busy.slice(1).map(({ from }, index) => ({ from: busy[index]!.to, to: from }));
  // A time without any length has no parts.
  const long = gaps.filter((gap) => gap.to - gap.from > Math.max(1_000, total * LONG));
  const end = busy.at(-1)?.to ?? 0;
  const drawn = end - first - long.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  // With many pauses there has to be room for what is between them.
  const broken = Math.min(BREAK, (WIDTH * 0.4) / Math.max(1, long.length));
  const perMs = drawn === 0 ? 0 : (WIDTH - long.length * broken) / drawn;
  const at = (time: number): number => {
    let left = 0;
    let since = first;
    for (const gap of long) {
      if (time <= gap.from) break;
      left += (gap.from - since) * perMs;
      const part = Math.min(1, (time - gap.from) / (gap.to - gap.from));
      left += broken * part;
      since = Math.min(time, gap.to);
    }
    return Math.max(0, Math.min(WIDTH, left + Math.max(0, time - since) * perMs));
  };
  const breaks = long.map((gap) => ({ at: (at(gap.from) + at(gap.to)) / 2, ms: gap.to - gap.from }));
  return { at, breaks, ticks: ticksOf(first, end, long, at) };
}

/** In order, those that touch as one. */
export function mergeIntervals(intervals: readonly Interval[]): Interval[] {
  const sorted = intervals.toSorted((one, other) => one.from - other.from);
  const result: Interval[] = [];
  for (const { from, to } of sorted) {
    const last = result.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else result.push({ from, to: Math.max(from, to) });
  }
  return result;
}

const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000,
].concat([600_000, 1_800_000, 3_600_000, 21_600_000, 86_400_000]);
/** Labels nearer than this to another would lie over it. */
const APART = 200;

function ticksOf(first: number, end: number, long: readonly Interval[], at: (time: number) => number) {
  if (end === first) return [{ at: 0, ms: 0 }];
  const shown = end - first - long.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  const step = STEPS.find((each) => shown / each <= 8) ?? STEPS.at(-1)!;
  const ticks: { at: number; ms: number }[] = [];
  // After a pause it begins anew: round moments within it would all fall on its mark.
  for (const from of [first, ...long.map((gap) => gap.to)]) {
    const to = long.find((gap) => gap.from >= from)?.from ?? end;
    const offset = Math.ceil((from - first) / step) * step;
    for (let ms = offset; first + ms <= to; ms += step) {
      const place = at(first + ms);
      if (ticks.length === 0 || place - ticks.at(-1)!.at >= APART) ticks.push({ at: place, ms });
    }
  }
  return ticks;
}
