import type { LedgerStore } from "@haft/core/internal";

/** What a host keeps of its sessions, wherever that is. */
export interface StateStore {
  /** Runs of sessions, and their calls. */
  readonly ledger: LedgerStore;
  /** Ends it in order. What is used afterwards throws `STORE_CLOSED`. */
  close(): Promise<void>;
}
