import { lazily } from "../../lazily.ts";
import type { JournalStore } from "./journal.ts";

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

/**
 * A journal in a folder of its own: one transaction, one file, readable by its owner only, since
 * it holds what files contained. Unfinished, committed and failed differ by name, so committing is
 * one rename; a transaction of a single atomic step needs not even that.
 *
 * @throws `JOURNAL_FAILED` from every method when the folder cannot be used.
 */
export function createDirectoryJournal(
  directory: string,
  options: DirectoryJournalOptions = {},
): JournalStore {
  const opened = lazily(async () => {
    const { openJournalFolder } = await import("./journal-folder.ts");
    return openJournalFolder(directory, options);
  });
  return {
    begin: async (record) => (await opened()).begin(record),
    mark(id, mark) {
      const store = opened();
      if (store instanceof Promise) throw new Error(`The transaction ${id} was not begun`);
      store.mark(id, mark);
    },
    commit: async (id) => (await opened()).commit(id),
    fail: async (id) => (await opened()).fail(id),
    load: async (id) => (await opened()).load(id),
    list: async (listOptions) => (await opened()).list(listOptions),
    remove: async (id) => (await opened()).remove(id),
  };
}
