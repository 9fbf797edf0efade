import type { ChangeAuthor } from "../../journal/transaction.ts";
import type { ChangeReport } from "../../plan/change-report.ts";

/** Which changes are put back, and how. */
export interface RewindRequest {
  /**
   * Is a change one of them? Asked for every committed one of this workspace whose author is known.
   *
   * @param at milliseconds since the epoch
   */
  isOf: (by: ChangeAuthor, at: number) => boolean;
  /** Whose change putting them back is. */
  by?: ChangeAuthor;
  /** Say what would happen, and write nothing (default false). */
  dryRun?: boolean;
  skipConflicts?: boolean;
  /** Told the real paths of all files that would be changed, before one is. What it throws is thrown. */
  allow?: (paths: readonly string[]) => Promise<void>;
  signal?: AbortSignal;
}

export interface RewindConflict {
  path: string;
  why: string;
}

export interface Rewound {
  /** Of the one transaction that put files back; in a dry run, and where conflicts held it off, of the one that would. */
  report: ChangeReport;
  /** Files that cannot be put back without losing what something else did, and those that hang together with one. */
  conflicts: readonly RewindConflict[];
  /** Conflicts held it off: nothing was written. */
  refused: boolean;
  /** The changes that are put back, oldest first. */
  undone: readonly { transactionId: string; at: number; by: ChangeAuthor }[];
}
