// Entry for hosts: the code that runs calls.
export { bindTools } from "../bound/bind-tools.ts";
export type { BoundOutcome, BoundTarget, BoundTool, BoundTools } from "../bound/bound-tool.ts";
export { formatApproval } from "../approvals/format-approval.ts";
export { createMemoryApprovals } from "../approvals/memory-approvals.ts";
export { type ApproveCommand, parseApproveCommand } from "../approvals/read-answer.ts";
export { Registry } from "../compose/registry.ts";
export type { RegistryOptions } from "../compose/registry-options.ts";
export type { ApprovalGrant, ApprovalScope, ApprovalStore } from "../contract/approval-port.ts";
export type { CallMiddleware, SessionEvent } from "../contract/events.ts";
export type { HookCall, ToolHook } from "../contract/hooks.ts";
export type { NetworkRequest, NetworkAnswer, Network } from "../kernel/fetch/network-port.ts";
export type { CallExplanation } from "../explain/call-explanation.ts";
export type { CallOptions, CallRequest, ExplainOptions } from "../kernel/call-options.ts";
export { createMemoryStore } from "../kernel/recording/memory-store.ts";
export type {
  CallQuery,
  CallRecord,
  LedgerRun,
  LedgerStore,
  Page,
  RunOpening,
  RunRecord,
} from "../contract/ledger-port.ts";
export type { RewindOptions, RewindReport } from "../session/rewind-report.ts";
export { SessionFactory } from "../session/session-factory.ts";
export type { SessionEnvironment, SessionOptions } from "../session/session-options.ts";
export type { ToolDefinition } from "../kernel/session-view.ts";
export type { Session, SessionPreview } from "../session/session.ts";
export { type Folders, resolveFolders } from "../bound/resolve-folders.ts";
