export type { ChangeToolOptions } from "./changes/tool-options.ts";
export { createEditTool } from "./edit.ts";
export { createFilesPlugin } from "./plugin.ts";
export { createReadTool } from "./read.ts";
export { createWriteTool } from "./write.ts";
