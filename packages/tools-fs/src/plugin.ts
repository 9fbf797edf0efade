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
 * Creates a plugin with the seven file tools.
 *
 * @param options `journal` stores changes for undo and recovery; `durable` flushes files to disk before success is reported (default false)
 *
 * @example
 * ```ts run
 * import { createDirectoryJournal } from "@haft/tools-fs";
 * import { createFilesPlugin } from "@haft/tools-fs/plugin";
 * const files = createFilesPlugin({ journal: createDirectoryJournal("journal"), durable: true });
 * files.tools.length; // => 7
 * ```
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

export type { DirectoryJournalOptions, JournalStore } from "./changes/journal/journal.ts";

/** Contains the file tools, without a journal. */
export default /* @__PURE__ */ createFilesPlugin();
