import type { TransactionRecord } from "./transaction.ts";

/** Summarizes a transaction in a journal. */
export interface JournalEntry {
  id: string;
  /** Contains the time in milliseconds since the epoch. */
  at: number;
  /** Identifies the workspace. */
  scope: string;
  /** Identifies the session and call that made the change, if known. */
  by?: NonNullable<TransactionRecord["by"]>;
  /** Identifies the transaction that this transaction undid. */
  undoes?: string;
  /**
   * `open`: unfinished, and its process has ended. `running`: its process still runs. `committed`: complete, can be undone. `failed`:
   * aborted, with files that could not be restored; the record remains for a person.
   */
  state: "open" | "running" | "committed" | "failed";
  /** Lists real paths of changed files. */
  paths: readonly string[];
  /** Contains the size of the record in bytes. */
  size: number;
  /** Identifies the process that started the transaction, if known: its id, and its start time in a unit of the system. */
  writer?: { pid: number; started: number };
}

/**
 * Stores transactions outside the workspace. `begin` precedes the first byte of a change; if it throws, nothing has changed.
 * {@link createDirectoryJournal} implements it.
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
  /** Marks a step as done, with the resulting version, or `null` without a file. Calls for several steps follow their order. */
  mark(id: string, mark: string | null): void;
  /** Marks the change as complete and undoable. */
  commit(id: string): Promise<void>;
  /** Marks the change as aborted and not completely rolled back: the record must not be applied again. */
  fail(id: string): Promise<void>;
  /** Returns a record, or `undefined` if it does not exist or is incomplete. */
  load(id: string): Promise<TransactionRecord | undefined>;
  /** Returns all transactions, oldest first. `unfinished` reads only `open` and `running` transactions. */
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
  /** Limits committed transactions; the newest remain (default 500). */
  maxTransactions?: number;
  /** Limits the size in bytes (default 256 MiB). The newest transaction remains, regardless of its size. */
  maxBytes?: number;
  /** Limits the time in which a transaction can be undone, in milliseconds (default 7 days). */
  maxAgeMs?: number;
  /** Flushes every record to disk before the change starts (default false: records survive a crash of the process). */
  durable?: boolean;
}
