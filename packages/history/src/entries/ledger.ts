// Internal entry: it can change with any version.
export { allCalls } from "../ledger/all-calls.ts";
export { type RecordedCallStatus, getCallStatus } from "../ledger/call-status.ts";
export { changedFiles } from "../ledger/changed-files.ts";
export { RUN_NAME_PATTERN, findRun, findUniqueRun, hasIdPrefix, isUndo } from "../ledger/find-run.ts";
export { formatNodeSubject, formatPlanLines } from "../ledger/format-plan.ts";
export { formatDuration, formatTimestamp } from "../ledger/format-times.ts";
export { getResultText, isHead } from "../ledger/result-text.ts";
export {
  type RewindCalls,
  callsSince,
  requireIdleRun,
  requireSameWorkspace,
} from "../ledger/rewind/calls-since.ts";
export { recordUndo } from "../ledger/rewind/record-undo.ts";
