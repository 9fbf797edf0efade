export type { CallOptions, CallRequest } from "./call.ts";
export { checkOption, checkOptions } from "./check-options.ts";
export type { OptionCheck, OptionChecks } from "./check-options.ts";
export { decidingStep } from "./deciding-step.ts";
export { isDuplicateMessage, isDuplicateToolCall } from "./duplicates.ts";
export { HaftError, messageOf } from "./errors.ts";
export type { EffectReceipt, ErrorCategory, HaftErrorOptions } from "./errors.ts";
export type { SessionEvent, SessionListener } from "./events.ts";
export type { CallExplanation, ExplainedDecision, ExplainedStep } from "./explain.ts";
export { formatToolResult, summarizeCall } from "./format/index.ts";
export { createMemoryStore } from "./ledger.ts";
export type { LedgerStore, ToolMeta, ToolStatus } from "./ledger.ts";
export { onlyChangesLooks } from "./looks.ts";
export { DEFAULT_LOOP_LIMITS } from "./loop-guard.ts";
export type { LoopLimits } from "./loop-guard.ts";
export type { ToolDiagnostic } from "./make-tools.ts";
export { nearestNames } from "./nearest.ts";
export type * from "./approval-port.ts";
export { breakLine, choicesOf, formatApproval } from "./approvals/format-approval.ts";
export { approvalNotFound, createMemoryApprovals } from "./approvals/memory-approvals.ts";
export { isShownWhole, promptText } from "./approvals/preview.ts";
export { parseApproveCommand, requireAnswer, requireOffer } from "./approvals/read-answer.ts";
export type { ApproveCommand } from "./approvals/read-answer.ts";
export { redactSecrets, secretsNote } from "./format/redact.ts";
export { escapeInvisible } from "./format/visible-text.ts";
export type * from "./hooks.ts";
export type * from "./plan.ts";
export type * from "./policy-port.ts";
export type * from "./ports.ts";
export type * from "./process-port.ts";
export type { Plugin, PluginToolContext, PluginToolFactory, PluginToolRegistration } from "./registration.ts";
export { Registry } from "./registry.ts";
export type { RegistryOptions } from "./registry.ts";
export { image, text, textOf } from "./result.ts";
export type { ContentBlock, ImageBlock, OutcomeKind, TextBlock, ToolOutcome, ToolResult } from "./result.ts";
export { SESSION_ENVIRONMENT, SESSION_OPTIONS, SessionFactory } from "./session-factory.ts";
export type { SessionEnvironment, SessionOptions } from "./session-factory.ts";
export type { Session, SessionPreview } from "./session.ts";
export type { MissingTool, ToolDefinition } from "./session-view.ts";
export { defineTool } from "./tool.ts";
export type {
  AnyTool,
  ModelFacts,
  PlanContext,
  Tool,
  ToolContext,
  ToolEffect,
  ToolProgress,
  ToolUpdate,
} from "./tool.ts";
