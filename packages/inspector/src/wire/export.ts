import type { CallDetail } from "./calls.ts";
import type { Run } from "./runs.ts";

/** One line of the data of an exported page: runs, each before its calls. */
export type ExportRecord =
  | { run: Run }
  /** `isCut`: the file has reached its limit, and of the call it has what a list shows. */
  | { call: CallDetail; isCut?: true };
