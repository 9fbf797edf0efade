import { definePlugin, type Plugin } from "@haft/plugin-sdk";
import { createApplyPatchTool } from "./apply-patch/apply-patch-tool.ts";
import type { ChangeToolOptions } from "./changes/tool-options.ts";
import { createEditTool } from "./edit/edit-tool.ts";
import { createFindTool } from "./find/find-tool.ts";
import { createGrepTool } from "./grep/grep-tool.ts";
import { createLsTool } from "./ls/ls-tool.ts";
import { createReadTool } from "./read/read-tool.ts";
import { createWriteTool } from "./write/write-tool.ts";

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
