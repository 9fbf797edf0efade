export const DAY_MS = 24 * 3_600_000;

/** Lifetime of an unused answer. */
export const ANSWER_MS = 24 * 3_600_000;
/** Lifetime of settled records. */
export const SETTLED_MS = 30 * DAY_MS;
/** Limits commands per run; the oldest is removed. */
export const MAX_PROCESSES = 500;
/** Limits the failure reason of a notification. */
export const MAX_NOTICE_PROBLEM = 1_000;

export interface RetentionLimits {
  readonly days: number;
  readonly bytes: number;
}
