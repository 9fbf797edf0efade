import type { CallRecord, RunRecord } from "@haft/core/kernel";

export interface RecordedRun {
  run: RunRecord;
  calls: readonly CallRecord[];
}

export interface StreamedRun {
  run: RunRecord;
  calls: () => AsyncIterable<CallRecord>;
}
