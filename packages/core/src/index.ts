export type {
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalRequest,
  ApprovalRequestRecord,
  Approver,
} from "./contract/approval-port.ts";
export { isPromptComplete, promptText } from "./approvals/preview.ts";
export { type ErrorFacts, defineErrors, type Errors } from "./contract/define-errors.ts";
export { definePlugin, type PluginDefinition } from "./contract/define-plugin.ts";
export { isDuplicateMessage, isDuplicateToolCall } from "./parameters/duplicates.ts";
export { HaftError, getErrorMessage } from "./contract/errors.ts";
export type { HaftErrorOptions } from "./contract/errors.ts";
export type {
  ToolEffect,
  PlannedCommand,
  CommandSubject,
  PathSubject,
  CallSubjects,
  GrantOffer,
  CallPlan,
} from "./contract/plan.ts";
export type {
  Sender,
  ContainmentFacts,
  SessionFacts,
  SessionKind,
  ToolFacts,
  Decision,
  SessionPolicy,
  Policy,
} from "./contract/policy-port.ts";
export type {
  ExecutionTarget,
  FileStat,
  DirectoryEntry,
  ScanEntry,
  ScanOptions,
  ScanPage,
  SkippedFolders,
  ReadResult,
  WriteResult,
  FileSystem,
  Mount,
  WorkspaceDescription,
  Workspace,
  Logger,
} from "./contract/ports.ts";
export type {
  ProcessSpec,
  FileIdentity,
  TerminalSize,
  ProcessState,
  ProcessInfo,
  OutputChunk,
  ProcessOutput,
  Processes,
} from "./contract/process-port.ts";
export { CONTRACT_VERSION } from "./contract/registration.ts";
export type {
  Plugin,
  PluginToolContext,
  PluginToolFactory,
  PluginToolRegistration,
} from "./contract/registration.ts";
export { image, text, contentToText } from "./contract/result.ts";
export type { ContentBlock, ImageBlock, TextBlock, ToolOutcome, ToolResult } from "./contract/result.ts";
export { defineTool } from "./contract/tool.ts";
export type {
  AnyTool,
  ModelFacts,
  ParameterSchema,
  PlanContext,
  Tool,
  ToolContext,
  ToolUpdate,
} from "./contract/tool.ts";
export { formatToolResult, summarizeCall } from "./format/index.ts";
export type { ToolMeta } from "./contract/ledger-port.ts";
export { compileGlob } from "./scan/glob.ts";
export { ignoreRules, type IgnoreRules, type InheritedIgnoreRules } from "./scan/ignore-rules.ts";
export { scanFolder } from "./scan/scan-folder.ts";
export { compilePathPattern } from "./patterns/path-pattern.ts";
export type { PathPattern } from "./patterns/pattern-tree.ts";
export { invalidOptions } from "./parameters/check-options.ts";
