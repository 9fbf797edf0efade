/** `< 1 ms`, `31 ms`, `2.5 s`, `3 min 5 s`, `2 h 10 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1) return "< 1 ms";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const [large, small, unit, rest] =
    ms < 3_600_000
      ? [60_000, 1_000, "min", "s"]
      : ms < 86_400_000
        ? [3_600_000, 60_000, "h", "min"]
        : [86_400_000, 3_600_000, "d", "h"];
  const whole = Math.floor(ms / large);
  const part = Math.floor((ms - whole * large) / small);
  return part === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${part} ${rest}`;
}

/** One rounded unit: `12 s`, `2 h`. */
export function formatShortDuration(ms: number): string {
  return formatDuration(Math.floor(ms / 1_000) * 1_000).replace(/^(\d+)(?:\.\d+)? (\S+).*$/, "$1 $2");
}

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const WHOLE = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** Local time: `21:03:11`. */
export function formatClock(time: number): string {
  return CLOCK.format(time);
}

/** Today's time, otherwise the day. */
export function formatClockOrDay(time: number, now = Date.now()): string {
  return new Date(time).toDateString() === new Date(now).toDateString()
    ? formatClock(time)
    : DAY.format(time);
}

/** `23 Nov 2026, 21:03:11`. */
export function formatMoment(time: number): string {
  return WHOLE.format(time);
}

/** `1,234`. */
export function formatCount(number: number): string {
  return number.toLocaleString("en");
}

/** `812 B`, `3.4 kB`, `12 MB`. */
export function formatBytes(number: number): string {
  if (number < 1_000) return `${number} B`;
  const [size, unit] =
    number < 1e6 ? [number / 1e3, "kB"] : number < 1e9 ? [number / 1e6, "MB"] : [number / 1e9, "GB"];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}
