import type { LedgerStore } from "@haft/core/internal";
import type { ApprovalStore } from "@haft/core/kernel";

/** What a host keeps of its sessions, wherever that is. */
export interface StateStore {
  /** Runs of sessions, and their calls. */
  readonly ledger: LedgerStore;
  /** What was asked, answered and allowed. */
  readonly approvals: ApprovalStore;
  /** Ends it in order. What is used afterwards throws `STORE_CLOSED`. */
  close(): Promise<void>;
}
