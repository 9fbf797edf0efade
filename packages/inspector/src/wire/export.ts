import type { CallDetail } from "./calls.ts";
import type { Run } from "./runs.ts";

/**
 * Describes one line of data in an exported page: a run or a call. Each run precedes its calls.
 *
 * @example
 * ```ts
 * import type { ExportRecord } from "@haft/inspector";
 * const isCut = (record: ExportRecord) => "call" in record && record.isCut === true;
 * ```
 */
export type ExportRecord =
  | { run: Run }
  /** `isCut`: the file has reached its limit, so the call only has the facts of a list. */
  | { call: CallDetail; isCut?: true };
