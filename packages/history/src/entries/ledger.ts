export { allCalls } from "../ledger/all-calls.ts";
export { type RecordedCallStatus, getCallStatus } from "../ledger/call-status.ts";
export { changedFiles } from "../ledger/changed-files.ts";
export { findRun, findUniqueRun, hasIdPrefix, isUndo } from "../ledger/find-run.ts";
export { formatNodeSubject, formatPlanLines } from "../ledger/format-plan.ts";
export { getResultText, isHead } from "../ledger/result-text.ts";
export {
  type RewindCalls,
  addLaterRuns,
  callsSince,
  requireIdleRun,
  requireSameWorkspace,
} from "../ledger/rewind/calls-since.ts";
export { recordUndo } from "../ledger/rewind/record-undo.ts";
