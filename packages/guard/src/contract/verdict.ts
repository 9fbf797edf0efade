/**
 * Contains the decision about a call.
 *
 * @example
 * ```ts
 * import type { Verdict } from "@haft/guard";
 * const verdict: Verdict = { effect: "deny", reason: "The policy denies exec(git push*)." };
 * ```
 */
export interface Verdict {
  /** Contains the decision. After `allow`, the agent continues as without a hook. */
  effect: "allow" | "ask" | "deny";
  /** Explains the decision, in at most {@link MAX_REASON_CHARACTERS} characters. Empty for `allow`. */
  reason: string;
  /** Is set if Haft could not decide. The exit code reports this as well. */
  failed?: true;
  /** Contains a text for standard error, with `allow`. */
  note?: string;
}

/** Limits a reason. Some agents cut longer reasons anywhere. */
export const MAX_REASON_CHARACTERS = 1000;
