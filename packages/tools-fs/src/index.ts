export { createFileTools } from "./bound/file-tools.ts";
export type { FileTools, FileToolsOptions } from "./bound/file-tools.ts";
export { createApplyPatchTool } from "./apply-patch/apply-patch.ts";
export type { ApplyPatchToolDetails } from "./apply-patch/apply-patch-steps.ts";
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
export type { SandboxBridge } from "./compat/sandbox-bridge.ts";
export {
  createSandboxedEditTool,
  createSandboxedReadTool,
  createSandboxedWriteTool,
} from "./bound/sandboxed-tools.ts";
export type { EditToolDetails } from "./edit/edit-steps.ts";
export { createEditTool } from "./edit/edit.ts";
export type { FindToolDetails } from "./find/find-steps.ts";
export { createFindTool } from "./find/find.ts";
export { createGrepTool, type GrepToolOptions } from "./grep/grep.ts";
export type { GrepToolDetails } from "./grep/grep-types.ts";
export type { LsToolDetails } from "./ls/ls-steps.ts";
export { createLsTool } from "./ls/ls.ts";
export { createReadTool, type ReadToolOptions } from "./read/read.ts";
export type { ReadToolDetails } from "./read/read-result.ts";
export type { WriteToolDetails } from "./write/write-steps.ts";
export { createWriteTool } from "./write/write.ts";
