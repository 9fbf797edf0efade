import type { CallRecord } from "@haft/core/kernel";

export interface ReplayedCall {
  readonly call: CallRecord;
  /** `record`: it was not made again, and is taken as it was. `unsaid`: whether it is the same cannot be said. */
  readonly verdict: "same" | "differs" | "record" | "unsaid";
  /** Why it was not made again, or why it cannot be said; how it differs. One line. */
  readonly why?: string;
  readonly diff?: string;
}
