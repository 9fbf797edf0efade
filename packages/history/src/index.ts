export { iterateRunCalls, listRunCalls } from "./ledger/all-calls.ts";
export { exportRecords } from "./ledger/export-records.ts";
export { findRuns } from "./ledger/find-run.ts";
export type { RecordedRun, StreamedRun } from "./ledger/recorded-run.ts";
export { type CheckOptions, type CheckedPolicy, checkPolicyFile } from "./review/check-policy.ts";
