import type { TransactionRecord } from "./transaction.ts";

/** Summary of a transaction in a journal. */
export interface JournalEntry {
  /** Id of the transaction. */
  id: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Workspace of the transaction. */
  scope: string;
  /** The session and call that made the change, if known. */
  by?: NonNullable<TransactionRecord["by"]>;
  /** Id of the transaction that this one has undone. */
  undoes?: string;
  /**
   * `open`: started and not finished, by a process that has ended. `running`: started by a process that still runs.
   * `committed`: complete, can be undone. `failed`: aborted, with files that could not be restored; it remains for a person,
   * and is never changed again.
   */
  state: "open" | "running" | "committed" | "failed";
  /** Real paths of changed files. */
  paths: readonly string[];
  /** Size of the record in bytes. */
  size: number;
  /** The process that started the transaction, if known: its id, and its start time in a unit of the system. */
  writer?: { pid: number; started: number };
}

/**
 * Stores transactions outside the workspace. `begin` is called before the first byte of a change is written; if it throws,
 * nothing has changed. {@link createDirectoryJournal} implements it.
 *
 * @example
 * ```ts
 * import type { JournalStore } from "@haft/tools-fs/plugin";
 * async function lastTransaction(journal: JournalStore) {
 *   const entry = (await journal.list()).findLast(({ state }) => state === "committed");
 *   return entry && journal.load(entry.id);
 * }
 * ```
 */
export interface JournalStore {
  /** Writes a record atomically. */
  begin(record: TransactionRecord): Promise<void>;
  /**
   * Records that a step was done, and the version of the file after it, or `null` if there is no file. For transactions with
   * several steps it is called in their order.
   */
  mark(id: string, mark: string | null): void;
  /** Records that the change is complete: the record can then be used to undo it. */
  commit(id: string): Promise<void>;
  /** Records that the change was aborted and could not be rolled back completely: the record must not be applied any more. */
  fail(id: string): Promise<void>;
  /** Returns a record; `undefined` if it does not exist or was not completely written. */
  load(id: string): Promise<TransactionRecord | undefined>;
  /** Returns all transactions, the oldest first. `unfinished`: only those that are `open` or `running`; others are not read. */
  list(options?: { unfinished?: boolean }): Promise<JournalEntry[]>;
  /** Removes a transaction in any state, if it exists. */
  remove(id: string): Promise<void>;
}

/**
 * Limits and durability of a journal.
 *
 * @example
 * ```ts
 * import type { DirectoryJournalOptions } from "@haft/tools-fs/plugin";
 * const options: DirectoryJournalOptions = { maxTransactions: 1_000, maxAgeMs: 24 * 60 * 60 * 1_000, durable: true };
 * ```
 */
export interface DirectoryJournalOptions {
  /** Maximum number of committed transactions; the newest remain (default 500). */
  maxTransactions?: number;
  /** Maximum size in bytes (default 256 MiB). The newest transaction remains, whatever its size. */
  maxBytes?: number;
  /** Milliseconds for which a committed transaction can be undone (default 7 days). */
  maxAgeMs?: number;
  /** Whether every record is flushed to disk before the change starts (default false: records survive a crash of the process). */
  durable?: boolean;
}
