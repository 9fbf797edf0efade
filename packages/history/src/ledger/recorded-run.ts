import type { CallRecord, RunRecord } from "@haft/core/kernel";

/** A run with all of its calls, in order. */
export interface RecordedRun {
  run: RunRecord;
  calls: readonly CallRecord[];
}

/** A run whose calls are read when they are needed. */
export interface StreamedRun {
  run: RunRecord;
  /** Returns the calls in order. Each use reads them again. */
  calls: () => AsyncIterable<CallRecord>;
}
