/**
 * The decision about a call of an agent.
 *
 * @example
 * ```ts
 * import type { Verdict } from "@haft/guard";
 * const verdict: Verdict = { effect: "deny", reason: "The policy denies exec(git push*)." };
 * ```
 */
export interface Verdict {
  /** `allow` means that Haft has no objection: the agent goes on as without a hook. */
  effect: "allow" | "ask" | "deny";
  /** The reason for the model and the person, at most {@link MAX_REASON_CHARACTERS} characters. Empty for `allow`. */
  reason: string;
  /** Set if Haft could not decide. The exit code of the hook then says so as well. */
  failed?: true;
  /** With `allow`: a text for standard error. */
  note?: string;
}

/** Largest number of characters of a reason. Some agents cut longer ones at any place. */
export const MAX_REASON_CHARACTERS = 1000;
