import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createDirectoryJournal } from "../../src/changes/journal/directory-journal.ts";
import { createMemoryJournal } from "../support/memory-journal.ts";
import { journalStoreContract } from "./journal-store.ts";

journalStoreContract("a folder", async () => {
  const folder = await mkdtemp(join(tmpdir(), "haft-journal-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return () => createDirectoryJournal(folder);
});

journalStoreContract("memory", async () => {
  const journal = createMemoryJournal();
  return () => journal;
});
