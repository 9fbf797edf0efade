import type { CallRecord } from "@haft/core/kernel";

/** How a call stands, in one word. */
export type EndWord =
  | "ok"
  | "error"
  | "blocked"
  | "cancelled"
  | "waiting"
  | "running"
  | "interrupted"
  | "gap";

/** What each means, for legends. */
export const END_WORDS: Readonly<Record<EndWord, string>> = {
  ok: "it did what was asked",
  error: "it ran, and failed",
  blocked: "it was not allowed to run",
  cancelled: "it was stopped",
  waiting: "it waits for a decision",
  running: "it runs, or whoever ran it died and nobody has looked since",
  interrupted: "whoever ran it died: nobody can say what it did",
  gap: "records of calls that only read may be missing here",
};

/** How a call ended, or where it stands. */
export function endOfCall({ status, outcome, code }: CallRecord): EndWord {
  if (status === "gap") return "gap";
  if (status === "pending") return "waiting";
  if (status === "executing") return "running";
  if (code === "INTERRUPTED") return "interrupted";
  if (outcome === "ok" || outcome === "blocked" || outcome === "cancelled") return outcome;
  return outcome === "pending" ? "waiting" : status === "completed" && outcome === undefined ? "ok" : "error";
}
