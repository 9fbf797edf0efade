import { parseSpan } from "../approvals/times.ts";
import { UsageError } from "../usage.ts";

/** Parses a past span (`2h`, `7d`), a day (`2026-11-23`) or a local time (`2026-11-23T14:00`). @throws UsageError */
export function readMoment(option: string, text: string, now: number): number {
  const span = parseSpan(text);
  if (span !== undefined) return now - span;
  // `Date.parse` reads a day alone as UTC.
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text;
  const time = /^\d{4}-\d{2}-\d{2}[T ]/.test(date) ? Date.parse(date.replace(" ", "T")) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new UsageError(
    `${option} is a span before now (30m, 2h, 7d) or a date (2026-11-23, 2026-11-23T14:00); got "${text}".`,
  );
}
