import type { CallRecord } from "@haft/core/kernel";

/**
 * Names the state of a recorded call for people. `waiting`: needs a decision. `interrupted`: ended with its
 * process. `gap`: a time without reliable records.
 */
export type RecordedCallStatus =
  | "ok"
  | "error"
  | "blocked"
  | "cancelled"
  | "waiting"
  | "running"
  | "interrupted"
  | "gap";

/**
 * Returns the state of a recorded call for people.
 *
 * @example
 * ```ts
 * import type { CallRecord } from "@haft/core/kernel";
 * import { getCallStatus } from "@haft/history/ledger";
 * declare const calls: readonly CallRecord[];
 * const waiting = calls.filter((call) => getCallStatus(call) === "waiting");
 * ```
 */
export function getCallStatus({ status, outcome, code }: CallRecord): RecordedCallStatus {
  if (status === "gap") return "gap";
  if (status === "pending") return "waiting";
  if (status === "executing") return "running";
  if (code === "INTERRUPTED") return "interrupted";
  if (outcome === "ok" || outcome === "blocked" || outcome === "cancelled") return outcome;
  return outcome === "pending" ? "waiting" : status === "completed" && outcome === undefined ? "ok" : "error";
}
