import type { CallRecord, RunRecord } from "@haft/core/kernel";

/** A run with all of its calls, in order. */
export interface RecordedRun {
  /** The record of the run. */
  run: RunRecord;
  /** In the order in which they began. */
  calls: readonly CallRecord[];
}

/** A run whose calls are read when they are needed. */
export interface StreamedRun {
  /** The record of the run. */
  run: RunRecord;
  /** Returns the calls in order. Each use reads them again. */
  calls: () => AsyncIterable<CallRecord>;
}
