export const DAY_MS = 24 * 3_600_000;

/** How long an answer waits for whoever continues its run, or makes the same call again. */
export const ANSWER_MS = 24 * 3_600_000;
/** How long the outcome of a request or grant, and who was notified of it, is known. */
export const SETTLED_MS = 30 * DAY_MS;
/** Commands that are kept of one run. The oldest goes. */
export const MAX_PROCESSES = 500;
/** Characters of the reason why somebody could not be notified. */
export const MAX_NOTICE_PROBLEM = 1_000;

/** What is kept of the calls of runs: no older ones, and no more bytes of all of them. */
export interface RetentionLimits {
  readonly days: number;
  readonly bytes: number;
}
