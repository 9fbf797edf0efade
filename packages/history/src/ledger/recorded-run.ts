import type { CallRecord, RunRecord } from "@haft/core/kernel";

/**
 * A run with all of its calls, in order.
 *
 * @example
 * ```ts
 * import type { RecordedRun } from "@haft/history";
 * const format = ({ run, calls }: RecordedRun) => `${run.sessionKey}: ${calls.length} calls`;
 * ```
 */
export interface RecordedRun {
  /** The record of the run. */
  run: RunRecord;
  /** In the order in which they began. */
  calls: readonly CallRecord[];
}

/**
 * A run whose calls are read when they are needed.
 *
 * @example
 * ```ts
 * import type { LedgerStore, RunRecord } from "@haft/core/kernel";
 * import { iterateRunCalls, type StreamedRun } from "@haft/history";
 * const stream = (ledger: LedgerStore, run: RunRecord): StreamedRun => ({
 *   run,
 *   calls: () => iterateRunCalls(ledger, run.runId),
 * });
 * ```
 */
export interface StreamedRun {
  /** The record of the run. */
  run: RunRecord;
  /** Returns the calls in order. Each use reads them again. */
  calls: () => AsyncIterable<CallRecord>;
}
