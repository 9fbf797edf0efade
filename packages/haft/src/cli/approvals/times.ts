const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** `2 min ago`, `just now`. */
export function formatAgo(then: number, now: number): string {
  const text = span(now - then);
  return text === undefined ? "just now" : `${text} ago`;
}

/** `in 28 min`, `now`. */
export function formatUntil(then: number, now: number): string {
  const text = span(then - now);
  return text === undefined ? "now" : `in ${text}`;
}

/** The largest unit only; `undefined` below a second. */
function span(ms: number): string | undefined {
  const unit = UNITS.find(([, size]) => ms >= size);
  return unit && `${Math.round(ms / unit[1])} ${unit[0]}`;
}

const SIZES: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Parses `30m`, `8h`, `7d` or `2w` to milliseconds. */
export function parseSpan(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})\s?(s|m|min|h|d|w)$/.exec(text.trim()) ?? [];
  const ms = Number(count) * (SIZES[unit ?? ""] ?? Number.NaN);
  return ms > 0 ? ms : undefined;
}

/** `7 s`, `1 min 5 s`, `2 h 0 min`. */
export function formatElapsed(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
