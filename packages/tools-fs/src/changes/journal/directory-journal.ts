import { requireKnownOptions } from "@haft/plugin-sdk";
import { accessSync } from "node:fs";
import { lazyModule } from "../../scheduling/lazy-tool.ts";
import type { DirectoryJournalOptions, JournalStore } from "./journal.ts";

const work = lazyModule(() => import("./journal-folder.ts"));

/**
 * Creates a journal in a folder: one file per transaction, readable only by its owner, because it has the content of files. The file name
 * shows the state, so a commit is one rename.
 *
 * @throws `JOURNAL_FAILED` from every method if the folder cannot be used
 *
 * @example
 * ```ts run
 * import { createDirectoryJournal, createFileTools } from "@haft/tools-fs";
 * const journal = createDirectoryJournal("undo", { maxTransactions: 100 });
 * const { write } = createFileTools({ root: process.cwd(), journal });
 * await write.call({ path: "plan.md", content: "# Plan\n" });
 * (await journal.list()).map(({ state }) => state); // => ["committed"]
 * ```
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
    list: async (listOptions) => (isAbsent(directory) ? [] : (await opened()).list(listOptions)),
    remove: async (id) => (await opened()).remove(id),
  };
}

function isAbsent(folder: string): boolean {
  try {
    accessSync(folder);
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "ENOENT";
  }
}
