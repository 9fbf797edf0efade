import type { CallDetail } from "./calls.ts";
import type { Run } from "./runs.ts";

/**
 * Describes a line of exported data: a run or call. Each run precedes its calls.
 *
 * @example
 * ```ts
 * import type { ExportRecord } from "@haft/inspector";
 * const isCut = (record: ExportRecord) => "call" in record && record.isCut === true;
 * ```
 */
export type ExportRecord =
  | { run: Run }
  /** `isCut`: the file is full, so the call has only list facts. */
  | { call: CallDetail; isCut?: true };
