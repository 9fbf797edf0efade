import type { CallRecord, RunRecord } from "@haft/core/kernel";

/** A run with its calls, in order. */
export interface RecordedRun {
  run: RunRecord;
  calls: readonly CallRecord[];
}
