import type { CallDetail } from "./calls.ts";
import type { Run } from "./runs.ts";

/**
 * One line of the data in an exported page: a run, or a call. Each run comes before its calls.
 *
 * @example
 * ```ts
 * import type { ExportRecord } from "@haft/inspector";
 * const isCut = (record: ExportRecord) => "call" in record && record.isCut === true;
 * ```
 */
export type ExportRecord =
  | { run: Run }
  /** `isCut`: the file has reached its limit, so the call has only the facts of a line in a list. */
  | { call: CallDetail; isCut?: true };
