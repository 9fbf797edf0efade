export type {
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalRequest,
  ApprovalRequestRecord,
  Approver,
} from "./contract/approval-port.ts";
export { isPromptComplete, promptText } from "./approvals/preview.ts";
export { defineErrors, type ErrorFacts, type Errors } from "./contract/define-errors.ts";
export { definePlugin, type PluginDefinition } from "./contract/define-plugin.ts";
export { isDuplicateMessage, isDuplicateToolCall } from "./parameters/duplicates.ts";
export { HaftError, getErrorMessage } from "./contract/errors.ts";
export type { EffectReceipt, ErrorCategory, HaftErrorOptions } from "./contract/errors.ts";
export type * from "./contract/plan.ts";
export type * from "./contract/policy-port.ts";
export type * from "./contract/ports.ts";
export type * from "./contract/process-port.ts";
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
  ToolProgress,
  ToolUpdate,
} from "./contract/tool.ts";
export { formatToolResult, summarizeCall } from "./format/index.ts";
export type { ToolMeta } from "./contract/ledger-port.ts";
export { compilePathPattern } from "./patterns/path-pattern.ts";
export type { PathPattern } from "./patterns/pattern-tree.ts";
export type { PathPatternProblem } from "./patterns/tokenise.ts";
export { invalidOptions } from "./parameters/check-options.ts";
