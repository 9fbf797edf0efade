import type { TransactionRecord } from "./transaction.ts";

/** One transaction, as a list shows it. */
export interface JournalEntry {
  /** Of the transaction. */
  id: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Which workspace it belongs to. */
  scope: string;
  /** Whose change it is, where that is known. */
  by?: NonNullable<TransactionRecord["by"]>;
  /** The transaction that it took back. */
  undoes?: string;
  /**
   * `open`: begun and never finished, by a process that is gone. `running`: begun by a process
   * that still lives. `committed`: done, and undoable. `failed`: given up, with files that could not
   * be restored; kept for a person to look at, and never touched again.
   */
  state: "open" | "running" | "committed" | "failed";
  /** Real paths touched. */
  paths: readonly string[];
  /** Size of the record in bytes. */
  size: number;
  /** The process that began it, where that is known: its id, and when it started, in a unit of the system. */
  writer?: { pid: number; started: number };
}

/**
 * Where transactions are kept, outside of the workspace. `begin` is called before the first byte
 * of a change is written; when it throws, nothing has been changed.
 */
export interface JournalStore {
  /** Writes the record in one piece. */
  begin(record: TransactionRecord): Promise<void>;
  /** One more step was carried out, and left a file of this version, or `null` for none. Called in the order of the steps, for transactions of several. */
  mark(id: string, mark: string | null): void;
  /** The change is complete: the record now serves undo. */
  commit(id: string): Promise<void>;
  /** The change was given up and not all of it could be taken back: nothing may be done by this record any more. */
  fail(id: string): Promise<void>;
  /** `undefined` when there is none, or it was never completely written. */
  load(id: string): Promise<TransactionRecord | undefined>;
  /** Oldest first. `unfinished`: only those that are `open` or `running`, which costs nothing for all the others. */
  list(options?: { unfinished?: boolean }): Promise<JournalEntry[]>;
  /** Forgets a transaction, in whatever state it is; one that is not there is forgotten already. */
  remove(id: string): Promise<void>;
}

/** How much a journal keeps, and how safely. */
export interface DirectoryJournalOptions {
  /** Committed transactions kept, newest first (default 500). */
  maxTransactions?: number;
  /** Bytes kept in all (default 256 MiB). The newest transaction is kept whatever its size. */
  maxBytes?: number;
  /** How long a committed transaction can be undone, in milliseconds (default 7 days). */
  maxAgeMs?: number;
  /** Flush every record to disk before the change begins (default false: survives a crash of the process). */
  durable?: boolean;
}
