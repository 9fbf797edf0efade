const MINUTE_MS = 60_000;

/** Milliseconds a call of `exec` waits for its command before that goes on in the background. */
export const DEFAULT_YIELD_MS = 10_000;
/** The least and the most that a call may ask for. */
export const MIN_YIELD_MS = 10;
export const MAX_YIELD_MS = 120_000;
/** Seconds a command may run. */
export const DEFAULT_TIMEOUT_SECONDS = 1_800;
/** How long ended commands are kept, in milliseconds. */
export const ENDED_RETENTION_MS = { default: 30 * MINUTE_MS, min: MINUTE_MS, max: 180 * MINUTE_MS };
/** Silence after which a command that can read input seems to wait for some, in milliseconds. */
export const INPUT_IDLE_MS = { default: 15_000, min: 1000, max: 10 * MINUTE_MS };
/** How long one `process poll` waits at most, in milliseconds. */
export const MAX_POLL_MS = 30_000;
/** Lines that `process log` shows where nobody says which. */
export const DEFAULT_LOG_LINES = 200;
/** The end of the output of a script that `bash` shows. */
export const SCRIPT_OUTPUT = { lines: 2_000, bytes: 50 * 1024 };

export function clamp(value: number, { min, max }: { min: number; max: number }): number {
  return Math.min(Math.max(value, min), max);
}
