// For the packages beside this one. Not public: it may change with any version.
export { DEFAULT_APPROVAL_MS, DEFAULT_FACTORY_MS, DEFAULT_KEEP } from "../defaults.ts";
export { breakLine, choicesOf, riskLines } from "../approvals/format-approval.ts";
export { type Marked, riskMarks } from "../approvals/risk/risk-marks.ts";
export { MOST_WAITING } from "../approvals/obstacle.ts";
export { MOST_ASKED_ABOUT } from "../approvals/preview.ts";
export { newShortId } from "../approvals/grants.ts";
export { approvalNotFound } from "../approvals/not-found.ts";
export { requireAnswer, requireOffer } from "../approvals/read-answer.ts";
export { foldersFromHere } from "../bound/folders-from-here.ts";
export { checkConfig } from "../compose/life/checked-config.ts";
export { isMarkedSecret, withoutSecrets } from "../compose/life/secrets.ts";
export { beyond } from "../compose/declared-hosts.ts";
export { checkPlugin, PLUGIN_KEYS } from "../compose/plugin-check.ts";
export { mistakeOf } from "../compose/plugin-mistake.ts";
export { hostContext } from "../compose/factory-context.ts";
export { type NoteUse, recordUse } from "../ports/record-use.ts";
export { checkTool } from "../compose/tool-check.ts";
export { changesFiles, mapFileSystem } from "../ports/map-file-system.ts";
export { fenceWorkspace } from "../ports/fence-workspace.ts";
export { mapProcesses } from "../ports/map-file-system.ts";
export { describeContainment } from "../explain/call-explanation.ts";
export { AGENT_FILES, AGENT_FOLDERS } from "../patterns/agent-settings.ts";
export { isDisplayVariable } from "../format/display-variables.ts";
export { knowSecrets } from "../format/known-secrets.ts";
export { redactSecrets, secretsNote } from "../format/redact.ts";
export { COVER } from "../format/secret-cover.ts";
export { escapeInvisible } from "../format/visible-text.ts";
export { MODEL, SESSION_ENVIRONMENT, SESSION_OPTIONS } from "../session/session-options.ts";
export { decidingStep } from "../kernel/stages/deciding-step.ts";
export { checkSender, textOfSender } from "../kernel/call-options.ts";
export { tooManyValues } from "../parameters/schema/json-bounds.ts";
export { checkOptions, invalidOptions, optionsSchema } from "../parameters/check-options.ts";
export { type OptionNames, requireKnownOptions } from "../parameters/check-options.ts";
export type { OptionSchema, OptionSchemas } from "../parameters/check-options.ts";
export { advertised } from "../parameters/advertised.ts";
export { exceededBound } from "../parameters/schema/json-bounds.ts";
export { checkValue } from "../parameters/check-options.ts";
export { problemOfSpec } from "../parameters/compiled-spec.ts";
export { readyArguments } from "../parameters/validate-arguments.ts";
export { ownSchemaOf, readSchema } from "../parameters/read-schema.ts";
export { subSchemas } from "../parameters/schema/json-schema.ts";
export type { Issue } from "../parameters/schema/issues.ts";
export { didYouMean, nearestNames } from "../parameters/schema/nearest.ts";
export { prepareFetch } from "../kernel/call-context.ts";
export { makeFolder } from "../kernel/limits/spool.ts";
export { isThenable, lazy, type TimeoutOptions, untilAborted, withTimeout } from "../utils/promises.ts";
export { baseName, formatBytes, isObject, membersOf, sha256, truncate } from "../utils/values.ts";
export { fitsHost, hostOf, isHostPattern } from "../patterns/host-name.ts";
export { compileWildcard, escapeWildcard, matchesWildcard, type Wildcard } from "../patterns/wildcard.ts";
// For stores of ledgers.
export { gapOf, interrupted, pastOf } from "../kernel/recording/interrupted.ts";
export { leaseLost, ledgerUnavailable, runNotFound, sessionHeld } from "../kernel/recording/ledger-errors.ts";
export { fitsCall, limitOf, pageOf, requireRunOfPlaces } from "../kernel/recording/query.ts";
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
