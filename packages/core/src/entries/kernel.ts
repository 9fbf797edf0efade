// What runs calls: for hosts.
export { bindTools } from "../bound/bind-tools.ts";
export type {
  Bound,
  BoundCallOptions,
  BoundOutcome,
  BoundTarget,
  BoundTool,
  BoundTools,
} from "../bound/bound-tool.ts";
export type { ParametersOf } from "../contract/tool.ts";
export { formatApproval } from "../approvals/format-approval.ts";
export { createMemoryApprovals } from "../approvals/memory-approvals.ts";
export { type ApproveCommand, parseApproveCommand } from "../approvals/read-answer.ts";
export type { ToolDiagnostic } from "../compose/build-tools.ts";
export { Registry } from "../compose/registry.ts";
export type { RegistryLike, RegistryOptions } from "../compose/registry-options.ts";
export type {
  ApprovalGrant,
  ApprovalScope,
  ApprovalState,
  ApprovalStore,
  RiskMark,
} from "../contract/approval-port.ts";
export type { CallMiddleware, SessionEvent, SessionListener } from "../contract/events.ts";
export type * from "../contract/hooks.ts";
export type * from "../kernel/fetch/network-port.ts";
export type { CallExplanation, ExplainedDecision } from "../explain/call-explanation.ts";
export type { ExplainedStep, Stage } from "../explain/call-explanation.ts";
export type { CallOptions, CallRequest, ExplainOptions } from "../kernel/call-options.ts";
export { createMemoryStore } from "../kernel/recording/memory-store.ts";
export type { StoreFaultMode } from "../kernel/recording/recorder.ts";
export type {
  CallQuery,
  CallRecord,
  DecidedBy,
  Fence,
  Lease,
  LedgerRun,
  LedgerStore,
  Page,
  PastCall,
  RecordMode,
  ResultHead,
  RunHolder,
  RunOpening,
  RunRecord,
} from "../contract/ledger-port.ts";
export { DEFAULT_LOOP_LIMITS, type LoopLimits } from "../kernel/loop-guard.ts";
export type {
  NotUndone,
  Rewind,
  RewindOptions,
  RewindRequest,
  RewindReport,
  RewoundFile,
} from "../session/rewind-report.ts";
export { SessionFactory } from "../session/session-factory.ts";
export type { SessionEnvironment, SessionOptions } from "../session/session-options.ts";
export type { MissingTool, ToolDefinition } from "../kernel/session-view.ts";
export type { Session, SessionPreview } from "../session/session.ts";
export { type Folders, resolveFolders } from "../bound/resolve-folders.ts";
