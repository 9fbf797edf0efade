import { definePlugin, type Plugin, requireKnownOptions } from "@haft/plugin-sdk";
import { createApplyPatchTool } from "./apply-patch/apply-patch.ts";
import type { JournalStore } from "./changes/journal/journal.ts";
import { createEditTool } from "./edit/edit.ts";
import { createFindTool } from "./find/find.ts";
import { createGrepTool } from "./grep/grep.ts";
import { createLsTool } from "./ls/ls.ts";
import { createReadTool } from "./read/read.ts";
import { createWriteTool } from "./write/write.ts";

/**
 * The file tools as a plugin.
 *
 * @param options `journal` keeps changes for undo and for recovery after a crash; `durable` flushes changed files to disk
 *   before success is reported (default false)
 */
export function createFilesPlugin(options: { journal?: JournalStore; durable?: boolean } = {}): Plugin {
  requireKnownOptions<typeof options>("createFilesPlugin", options, { journal: true, durable: true });
  return definePlugin({
    id: "files",
    name: "Files",
    tools: [
      createReadTool(),
      createWriteTool(options),
      createEditTool(options),
      createApplyPatchTool(options),
      createLsTool(),
      createFindTool(),
      createGrepTool(),
    ],
  });
}

export type { DirectoryJournalOptions, JournalEntry, JournalStore } from "./changes/journal/journal.ts";
export type { TransactionRecord } from "./changes/journal/transaction.ts";

/** The file tools without a journal. */
export default /* @__PURE__ */ createFilesPlugin();
