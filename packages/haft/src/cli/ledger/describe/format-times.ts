/** At most two units. */
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

export function formatTimestamp(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace("T", " ")}Z`;
}
