export { createApplyPatchTool } from "./apply-patch/apply-patch-tool.ts";
export type {
  ApplyPatchToolDetails,
  ApplyPatchToolInput,
  ApplyPatchToolOptions,
} from "./apply-patch/apply-patch-tool.ts";
export type { ChangeEngine, ChangeEngineOptions } from "./changes/plan/change-contract.ts";
export { createChangeEngine, workspaceEngineOptions } from "./changes/change-engine.ts";
export type { ChangeReport, FileChange, HunkReport } from "./changes/plan/change-report.ts";
export { createDirectoryJournal } from "./changes/journal/directory-journal.ts";
export type { DirectoryJournalOptions } from "./changes/journal/directory-journal.ts";
export type { JournalEntry, JournalStore } from "./changes/journal/journal.ts";
export type { Recovery } from "./changes/commit/recover.ts";
export type { ChangeToolOptions } from "./changes/tool-options.ts";
export { createEditTool } from "./edit/edit-tool.ts";
export type { EditToolDetails, EditToolInput, EditToolOptions } from "./edit/edit-tool.ts";
export { createFindTool } from "./find/find-tool.ts";
export type { FindToolDetails, FindToolInput, FindToolOptions } from "./find/find-tool.ts";
export { createGrepTool } from "./grep/grep-tool.ts";
export type { GrepToolInput, GrepToolOptions } from "./grep/grep-tool.ts";
export { createHostWorkspaceEditTool, createHostWorkspaceWriteTool } from "./compat/host-workspace-tools.ts";
export type {
  HostWorkspaceEditToolOptions,
  HostWorkspaceWriteToolOptions,
} from "./compat/host-workspace-tools.ts";
export { createLsTool } from "./ls/ls-tool.ts";
export type { LsToolDetails, LsToolInput, LsToolOptions } from "./ls/ls-tool.ts";
export { createFilesPlugin } from "./plugin.ts";
export { createReadTool } from "./read/read-tool.ts";
export type { ReadToolDetails, ReadToolInput, ReadToolOptions } from "./read/read-tool.ts";
export {
  createSandboxBridge,
  createSandboxEditOperations,
  createSandboxReadOperations,
  createSandboxWriteOperations,
} from "./compat/sandbox-bridge.ts";
export type { BridgePath, BridgeStat, SandboxBridge } from "./compat/sandbox-bridge.ts";
export {
  createSandboxedEditTool,
  createSandboxedReadTool,
  createSandboxedWriteTool,
} from "./compat/sandboxed-tools.ts";
export type {
  SandboxedEditToolOptions,
  SandboxedReadToolOptions,
  SandboxedWriteToolOptions,
} from "./compat/sandboxed-tools.ts";
export { createWriteTool } from "./write/write-tool.ts";
export type { WriteToolDetails, WriteToolInput, WriteToolOptions } from "./write/write-tool.ts";
