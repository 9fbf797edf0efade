// Entry for packages of this repository. Not public: it can change with any version.
export { DEFAULT_APPROVAL_MS, DEFAULT_FACTORY_MS, DEFAULT_RETENTION } from "../defaults.ts";
export { breakLine, listChoices, riskLines } from "../approvals/format-approval.ts";
export { type RiskSubject, riskMarks } from "../approvals/risk/risk-marks.ts";
export { MAX_WAITING } from "../approvals/obstacle.ts";
export { MAX_APPROVAL_CHARACTERS } from "../approvals/preview.ts";
export { newShortId } from "../approvals/grants.ts";
export { approvalNotFoundError } from "../approvals/approval-not-found-error.ts";
export { requireAnswer, requireOffer } from "../approvals/read-answer.ts";
export { checkConfig } from "../compose/lifecycle/checked-config.ts";
export { isMarkedSecret, resolveSecretReferences, withoutSecrets } from "../compose/lifecycle/secrets.ts";
export { findUndeclaredHosts } from "../compose/declared-hosts.ts";
export { checkPlugin, PLUGIN_KEYS } from "../compose/plugin-check.ts";
export { toPluginError } from "../compose/plugin-error.ts";
export { hostContext } from "../compose/factory-context.ts";
export { type NoteUse, recordUse } from "../ports/record-use.ts";
export { getDeclaredEffects } from "../contract/registration.ts";
export { checkTool } from "../compose/tool-check.ts";
export { changesFiles, mapFileSystem } from "../ports/map-file-system.ts";
export { fenceWorkspace } from "../ports/fence-workspace.ts";
export { mapProcesses } from "../ports/map-file-system.ts";
export { describeContainment, type ExplainedStep } from "../explain/call-explanation.ts";
export { AGENT_FILES, AGENT_FOLDERS } from "../patterns/agent-settings.ts";
export { isDisplayVariable } from "../format/display-variables.ts";
export { registerSecrets } from "../format/known-secrets.ts";
export { redactSecrets, describeMaskedSecrets } from "../format/redact.ts";
export { SECRET_MASK } from "../format/secret-masker.ts";
export { createEarlyFailure } from "../kernel/outcome.ts";
export { checkPorts, MODEL, SESSION_ENVIRONMENT, SESSION_OPTIONS } from "../session/session-options.ts";
export { findDecisiveStep } from "../kernel/stages/find-decisive-step.ts";
export { checkSender, formatSender } from "../kernel/call-options.ts";
export { checkValueCount } from "../parameters/schema/json-bounds.ts";
export { checkOptions, optionsSchema, requireMethods } from "../parameters/check-options.ts";
export { type OptionNames, requireKnownOptions } from "../parameters/check-options.ts";
export type { OptionSchema, OptionSchemas } from "../parameters/check-options.ts";
export { toAdvertisedSchema } from "../parameters/advertised-schema.ts";
export { findExceededBound } from "../parameters/schema/json-bounds.ts";
export { checkValue } from "../parameters/check-options.ts";
export { findSpecProblem } from "../parameters/compiled-spec.ts";
export { validateArguments } from "../parameters/validate-arguments.ts";
export { findSchemaSnapshot, readSchema } from "../parameters/read-schema.ts";
export { subSchemas } from "../parameters/schema/json-schema.ts";
export type { Issue } from "../parameters/schema/issues.ts";
export { prepareFetch } from "../kernel/call-context.ts";
export { createGapRecord, toInterruptedCall, toPastCall } from "../kernel/recording/interrupted-call.ts";
export {
  leaseLostError,
  ledgerUnavailableError,
  runNotFoundError,
  sessionHeldError,
} from "../kernel/recording/ledger-errors.ts";
export { matchesQuery, getPageLimit, paginate, requireRunForRange } from "../kernel/recording/query.ts";
export { newRunId } from "../kernel/recording/run-ids.ts";
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
export type { ErrorFacts } from "../contract/define-errors.ts";
export type { EffectReceipt, ErrorCategory } from "../contract/errors.ts";
export type { GrantOffer, Refusal, RequiredConsent } from "../contract/plan.ts";
export type { SandboxFacts, ParameterFacts, TraceStep } from "../contract/policy-port.ts";
export type { ReadOptions, WriteOptions } from "../contract/ports.ts";
export type { PathPatternProblem } from "../patterns/tokenise.ts";
export type { Bound } from "../bound/bound-tool.ts";
export type { ToolDiagnostic } from "../compose/build-tools.ts";
export type { ApprovalScope, ApprovalState, RiskMark } from "../contract/approval-port.ts";
export {
  formatLaterCall,
  type Rewind,
  type RewindRequest,
  type RewoundFile,
} from "../session/rewind-report.ts";
export type { MissingTool } from "../kernel/session-view.ts";
export type { OutputStream, OutputTotals } from "../contract/process-port.ts";
export type { ScanFiles } from "../scan/scan-files.ts";
export { walkSteps } from "../scan/walk-steps.ts";
