import type { CallRecord, RunRecord } from "@haft/core/kernel";

/**
 * Contains a run with its calls.
 *
 * @example
 * ```ts
 * import type { RecordedRun } from "@haft/history";
 * const format = ({ run, calls }: RecordedRun) => `${run.sessionKey}: ${calls.length} calls`;
 * ```
 */
export interface RecordedRun {
  /** Describes the run. */
  run: RunRecord;
  /** Contains the calls, in the order in which they began. */
  calls: readonly CallRecord[];
}

/**
 * Contains a run whose calls are read on demand.
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
  /** Describes the run. */
  run: RunRecord;
  /** Returns the calls in order. Each use reads them again. */
  calls: () => AsyncIterable<CallRecord>;
}
