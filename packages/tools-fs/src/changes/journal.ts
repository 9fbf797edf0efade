import type { TransactionRecord } from "./transaction.ts";

/** One transaction, as a list shows it. */
export interface JournalEntry {
  id: string;
  /** Milliseconds since the epoch. */
  at: number;
  scope: string;
  /**
   * `open`: begun and never finished, by a process that is gone. `running`: begun by a process
   * that still lives. `committed`: done, and undoable.
   */
  state: "open" | "running" | "committed";
  /** Real paths touched. */
  paths: readonly string[];
  /** Size of the record in bytes. */
  size: number;
}

/**
 * Where transactions are kept, outside of the workspace. `begin` is called before the first byte
 * of a change is written; when it throws, nothing has been changed.
 */
export interface JournalStore {
  /** Writes the record in one piece. */
  begin(record: TransactionRecord): Promise<void>;
  /** The change is complete: the record now serves undo. */
  commit(id: string): Promise<void>;
  /** `undefined` when there is none, or it was never completely written. */
  load(id: string): Promise<TransactionRecord | undefined>;
  /** Oldest first. `unfinished`: only those that are not committed, which costs nothing for all the others. */
  list(options?: { unfinished?: boolean }): Promise<JournalEntry[]>;
  remove(id: string): Promise<void>;
}
