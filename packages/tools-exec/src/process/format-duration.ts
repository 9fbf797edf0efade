const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** `812ms`, `12s`, `3m20s`, `2h5m`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))}ms`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < HOUR) return joined(Math.floor(ms / MINUTE), "m", Math.floor((ms % MINUTE) / SECOND), "s");
  return joined(Math.floor(ms / HOUR), "h", Math.floor((ms % HOUR) / MINUTE), "m");
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return `${large}${largeUnit}${small === 0 ? "" : `${small}${smallUnit}`}`;
}
