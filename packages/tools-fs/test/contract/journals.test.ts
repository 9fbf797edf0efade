import { createDirectoryJournal } from "../../src/changes/journal/directory-journal.ts";
import { createMemoryJournal } from "../support/memory-journal.ts";
import { temporaryFolder } from "../support/tool-context.ts";
import { journalStoreContract } from "./journal-store.ts";

journalStoreContract("a folder", async () => {
  const folder = temporaryFolder();
  return () => createDirectoryJournal(folder);
});

journalStoreContract("memory", async () => {
  const journal = createMemoryJournal();
  return () => journal;
});
