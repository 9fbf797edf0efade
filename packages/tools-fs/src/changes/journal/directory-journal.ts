import { requireKnownOptions } from "@haft/plugin-sdk";
import { accessSync } from "node:fs";
import { lazyModule } from "../../scheduling/lazy-tool.ts";
import type { DirectoryJournalOptions, JournalStore } from "./journal.ts";

const work = lazyModule(() => import("./journal-folder.ts"));

/**
 * A journal in a folder of its own: one transaction, one file, readable by its owner only, since
 * it holds what files contained. Unfinished, committed and failed differ by name, so committing is
 * one rename.
 *
 * @throws `JOURNAL_FAILED` from every method when the folder cannot be used.
 */
export function createDirectoryJournal(
  directory: string,
  options: DirectoryJournalOptions = {},
): JournalStore {
  requireKnownOptions<DirectoryJournalOptions>("createDirectoryJournal", options, {
    maxTransactions: true,
    maxBytes: true,
    maxAgeMs: true,
    durable: true,
  });
  let store: JournalStore | undefined;
  const opened = async () => (store ??= (await work()).openJournalFolder(directory, options));
  return {
    begin: async (record) => (await opened()).begin(record),
    mark(id, mark) {
      if (store === undefined) throw new Error(`The transaction ${id} was not begun`);
      store.mark(id, mark);
    },
    commit: async (id) => (await opened()).commit(id),
    fail: async (id) => (await opened()).fail(id),
    load: async (id) => (await opened()).load(id),
    // Most hosts ask when they start, and nothing was kept yet by many.
    list: async (listOptions) => (isAbsent(directory) ? [] : (await opened()).list(listOptions)),
    remove: async (id) => (await opened()).remove(id),
  };
}

/** What is there and cannot be used is told by whoever opens it. */
function isAbsent(folder: string): boolean {
  try {
    accessSync(folder);
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "ENOENT";
  }
}
