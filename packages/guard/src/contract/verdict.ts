/** What becomes of a call that a hook asked about. */
export interface Verdict {
  /** `allow`: no opinion, the agent goes on as if nobody had been asked. */
  effect: "allow" | "ask" | "deny";
  /** For the model and the person, at most {@link MAX_REASON_CHARACTERS} characters; empty for `allow`. */
  reason: string;
  /** Haft itself could not decide. Then the agent's process is told by its exit code as well. */
  failed?: true;
  /** With `allow`: to be told to whoever reads standard error. */
  note?: string;
}

/** Characters of a reason: some agents cut longer ones, in the middle of what matters. */
export const MAX_REASON_CHARACTERS = 1000;
