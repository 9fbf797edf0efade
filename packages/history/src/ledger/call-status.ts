import type { CallRecord } from "@haft/core/kernel";

export type RecordedCallStatus =
  | "ok"
  | "error"
  | "blocked"
  | "cancelled"
  | "waiting"
  | "running"
  | "interrupted"
  | "gap";

export function getCallStatus({ status, outcome, code }: CallRecord): RecordedCallStatus {
  if (status === "gap") return "gap";
  if (status === "pending") return "waiting";
  if (status === "executing") return "running";
  if (code === "INTERRUPTED") return "interrupted";
  if (outcome === "ok" || outcome === "blocked" || outcome === "cancelled") return outcome;
  return outcome === "pending" ? "waiting" : status === "completed" && outcome === undefined ? "ok" : "error";
}
