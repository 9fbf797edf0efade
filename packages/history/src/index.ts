export { allCalls, iterateRunCalls, listRunCalls } from "./ledger/all-calls.ts";
export { type RecordedCallStatus, getCallStatus } from "./ledger/call-status.ts";
export { changedFiles } from "./ledger/changed-files.ts";
export { exportRecords } from "./ledger/export-records.ts";
export {
  RUN_NAME_PATTERN,
  findRun,
  findRuns,
  findUniqueRun,
  hasIdPrefix,
  isUndo,
} from "./ledger/find-run.ts";
export { formatNodeSubject, formatPlanLines } from "./ledger/format-plan.ts";
export type { RecordedRun, StreamedRun } from "./ledger/recorded-run.ts";
export { getResultText, isHead } from "./ledger/result-text.ts";
export {
  type RewindCalls,
  callsSince,
  requireIdleRun,
  requireSameWorkspace,
} from "./ledger/rewind/calls-since.ts";
export { recordUndo } from "./ledger/rewind/record-undo.ts";
