export { createApplyPatchTool } from "./apply-patch.ts";
export type { ApplyPatchToolDetails, ApplyPatchToolInput, ApplyPatchToolOptions } from "./apply-patch.ts";
export type { ChangeEngine, ChangeEngineOptions } from "./changes/change-contract.ts";
export { createChangeEngine, workspaceEngineOptions } from "./changes/change-engine.ts";
export type { ChangeReport, FileChange, HunkReport } from "./changes/change-report.ts";
export { createDirectoryJournal } from "./changes/directory-journal.ts";
export type { DirectoryJournalOptions } from "./changes/directory-journal.ts";
export type { JournalEntry, JournalStore } from "./changes/journal.ts";
export type { Recovery } from "./changes/recover.ts";
export type { ChangeToolOptions } from "./changes/tool-options.ts";
export { createEditTool } from "./edit.ts";
export type { EditToolDetails, EditToolInput, EditToolOptions } from "./edit.ts";
export { createFindTool } from "./find.ts";
export type { FindToolDetails, FindToolInput, FindToolOptions } from "./find.ts";
export { createGrepTool } from "./grep.ts";
export type { GrepToolInput, GrepToolOptions } from "./grep.ts";
export { createHostWorkspaceEditTool, createHostWorkspaceWriteTool } from "./host-workspace-tools.ts";
export type { HostWorkspaceEditToolOptions, HostWorkspaceWriteToolOptions } from "./host-workspace-tools.ts";
export { createLsTool } from "./ls.ts";
export type { LsToolDetails, LsToolInput, LsToolOptions } from "./ls.ts";
export { createFilesPlugin } from "./plugin.ts";
export { createReadTool } from "./read.ts";
export type { ReadToolDetails, ReadToolInput, ReadToolOptions } from "./read.ts";
export {
  createSandboxBridge,
  createSandboxEditOperations,
  createSandboxReadOperations,
  createSandboxWriteOperations,
} from "./sandbox-bridge.ts";
export type { BridgePath, BridgeStat, SandboxBridge } from "./sandbox-bridge.ts";
export {
  createSandboxedEditTool,
  createSandboxedReadTool,
  createSandboxedWriteTool,
} from "./sandboxed-tools.ts";
export type {
  SandboxedEditToolOptions,
  SandboxedReadToolOptions,
  SandboxedWriteToolOptions,
} from "./sandboxed-tools.ts";
export { createWriteTool } from "./write.ts";
export type { WriteToolDetails, WriteToolInput, WriteToolOptions } from "./write.ts";
