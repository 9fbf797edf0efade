import type { CallRecord, RunRecord } from "@haft/core/kernel";

export interface RecordedRun {
  run: RunRecord;
  calls: readonly CallRecord[];
}

/** A run whose calls are not in memory: read, in order, by each who goes through them. */
export interface RunToRead {
  run: RunRecord;
  calls: () => AsyncIterable<CallRecord>;
}
