// What holds where a call or options do not say. Each is defined here once; `test/defaults.test.ts` compares the documents.

/** Milliseconds a call of `exec` waits for its command before that goes on in the background. */
export const DEFAULT_YIELD_MS = 10_000;
/** The least and the most that a call may ask for. */
export const MIN_YIELD_MS = 10;
export const MAX_YIELD_MS = 120_000;
/** Seconds a command may run. */
export const DEFAULT_TIMEOUT_SECONDS = 1_800;
