export { createFileTools } from "./bound/file-tools.ts";
export type { FileTools, FileToolsOptions } from "./bound/file-tools.ts";
export { createApplyPatchTool } from "./apply-patch/apply-patch-tool.ts";
export type { ApplyPatchToolDetails } from "./apply-patch/apply-patch-schema.ts";
export { createDirectoryJournal } from "./changes/journal/directory-journal.ts";
export type { JournalStore } from "./changes/journal/journal.ts";
export type { FileChange } from "./changes/plan/change-report.ts";
export type { ChangeToolOptions } from "./changes/tool-options.ts";
export { createHostWorkspaceEditTool, createHostWorkspaceWriteTool } from "./bound/host-workspace-tools.ts";
export {
  createSandboxBridge,
  createSandboxEditOperations,
  createSandboxReadOperations,
  createSandboxWriteOperations,
} from "./compat/sandbox-bridge.ts";
export type { BridgePath, SandboxBridge } from "./compat/sandbox-bridge.ts";
export {
  createSandboxedEditTool,
  createSandboxedReadTool,
  createSandboxedWriteTool,
} from "./bound/sandboxed-tools.ts";
export type { EditToolDetails } from "./edit/edit-schema.ts";
export { createEditTool } from "./edit/edit-tool.ts";
export type { FindToolDetails } from "./find/find-schema.ts";
export { createFindTool } from "./find/find-tool.ts";
export type { GrepToolDetails, GrepToolOptions } from "./grep/grep-schema.ts";
export { createGrepTool } from "./grep/grep-tool.ts";
export type { ReadImageDetails } from "./images/read-image.ts";
export type { LsToolDetails } from "./ls/ls-schema.ts";
export { createLsTool } from "./ls/ls-tool.ts";
export type { ReadToolDetails, ReadToolOptions } from "./read/read-schema.ts";
export { createReadTool } from "./read/read-tool.ts";
export type { WriteToolDetails } from "./write/write-schema.ts";
export { createWriteTool } from "./write/write-tool.ts";
