import { definePlugin, type Plugin } from "@haft/plugin-sdk";
import { createApplyPatchTool } from "./apply-patch.ts";
import type { ChangeToolOptions } from "./changes/tool-options.ts";
import { createEditTool } from "./edit.ts";
import { createFindTool } from "./find.ts";
import { createGrepTool } from "./grep.ts";
import { createLsTool } from "./ls.ts";
import { createReadTool } from "./read.ts";
import { createWriteTool } from "./write.ts";

/** The file tools as a plugin. With a journal, changes can be undone and survive a crash. */
export function createFilesPlugin(options: Pick<ChangeToolOptions, "journal" | "durable"> = {}): Plugin {
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

export default createFilesPlugin();
