const MINUTE_MS = 60_000;

/** Wait of an `exec` call before its command continues in the background. */
export const DEFAULT_YIELD_MS = 10_000;
export const MIN_YIELD_MS = 10;
export const MAX_YIELD_MS = 120_000;
export const DEFAULT_TIMEOUT_SECONDS = 1_800;
export const ENDED_RETENTION_MS = { default: 30 * MINUTE_MS, min: MINUTE_MS, max: 180 * MINUTE_MS };
/** After this silence, a command that can read input counts as waiting for it. */
export const INPUT_IDLE_MS = { default: 15_000, min: 1000, max: 10 * MINUTE_MS };
/** Limits one `process poll`. */
export const MAX_POLL_MS = 30_000;
export const DEFAULT_LOG_LINES = 200;
/** Limits the shown end of a `bash` output. */
export const SCRIPT_OUTPUT = { lines: 2_000, bytes: 50 * 1024 };

export function clamp(value: number, { min, max }: { min: number; max: number }): number {
  return Math.min(Math.max(value, min), max);
}
