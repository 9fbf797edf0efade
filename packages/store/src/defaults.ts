export const DAY_MS = 24 * 3_600_000;

/** Lifetime of an unused answer. */
export const ANSWER_MS = 24 * 3_600_000;
/** Lifetime of settled requests, grants and notices. */
export const SETTLED_MS = 30 * DAY_MS;
/** Stored commands per run; the oldest is removed. */
export const MAX_PROCESSES = 500;
/** Characters of a notification's failure reason. */
export const MAX_NOTICE_PROBLEM = 1_000;

export interface RetentionLimits {
  readonly days: number;
  readonly bytes: number;
}
