import type { LedgerStore } from "@haft/core/internal";
import type { ApprovalStore } from "@haft/core/kernel";
import type { NoticeStore } from "./notice-store.ts";
import type { ProcessStore } from "./process-store.ts";
import type { StoreProblem } from "./store-problem.ts";

/** What a host keeps of its sessions, wherever that is. */
export interface StateStore {
  /** Runs of sessions, and their calls. */
  readonly ledger: LedgerStore;
  /** What was asked, answered and allowed. */
  readonly approvals: ApprovalStore;
  /** Commands of runs, and what became of them. */
  readonly processes: ProcessStore;
  /** Who was told of calls that wait. */
  readonly notices: NoticeStore;
  /**
   * Looks at all that is kept, which takes seconds where it is much. Empty: it is whole, as far as that can be told. Nothing is
   * changed.
   */
  check(): Promise<readonly StoreProblem[]>;
  /** Ends it in order. What is used afterwards throws `STORE_CLOSED`, or `LEDGER_UNAVAILABLE` because of it. */
  close(): Promise<void>;
}
