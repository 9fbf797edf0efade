import type { EscapeAttempt } from "./escape-attempt.ts";
import { isolationAttempts } from "./isolation-attempts.ts";
import { processAttempts } from "./process-attempts.ts";
import { reachAttempts } from "./reach-attempts.ts";

export type { EscapeAttempt } from "./escape-attempt.ts";

/** All of them. */
export const attempts: readonly EscapeAttempt[] = [
  ...processAttempts,
  ...isolationAttempts,
  ...reachAttempts,
];
