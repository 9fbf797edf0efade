/**
 * Formats a duration with at most two units.
 *
 * @example
 * ```ts run
 * import { formatDuration } from "@haft/history/internal/ledger";
 * formatDuration(2_500); // => "2.5 s"
 * formatDuration(185_000); // => "3 min 5 s"
 * ```
 */
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

/**
 * Formats milliseconds since the epoch, in UTC.
 *
 * @example
 * ```ts run
 * import { formatTimestamp } from "@haft/history/internal/ledger";
 * formatTimestamp(0); // => "1970-01-01 00:00:00Z"
 * ```
 */
export function formatTimestamp(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace("T", " ")}Z`;
}
