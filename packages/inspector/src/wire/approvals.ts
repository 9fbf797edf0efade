import type { ApprovalAnswer, ApprovalDecision, ApprovalRequestRecord } from "@haft/core";
import type { ApprovalState, RiskMark } from "@haft/core/internal";
import type { ApprovalGrant } from "@haft/core/kernel";
import type { Time } from "./basics.ts";

/** A call that waits for a decision. */
export interface Approval extends Pick<
  ApprovalRequestRecord,
  | "approvalId"
  | "toolCallId"
  | "runId"
  | "sessionKey"
  | "sessionKind"
  | "agentId"
  | "tool"
  | "reason"
  | "preview"
  | "offers"
  | "noAlways"
  | "noProgramGrant"
  | "requestedAt"
  | "expiresAt"
> {
  /** What it is about, on one line, without the name of the tool. */
  summary: string;
  /** What to look at twice, the gravest first. */
  notes: readonly RiskMark[];
  /** Nobody waits for the answer now: it is kept for whoever continues the session, or makes the same call again. */
  unattended?: true;
  /** The command that continues its session, where that is known. */
  resume?: string;
}

/** `POST /api/approvals/ID`: who asks has the role `act`. */
export interface DecisionRequest extends Pick<ApprovalAnswer, "grant" | "forMs"> {
  /** What is decided. */
  decision: ApprovalDecision;
}

/** What became of an answer. */
export interface DecisionResult {
  /** Which request. */
  approvalId: string;
  /** What was decided. */
  decision: ApprovalDecision;
  /** `taken` by whoever asked; `kept` until somebody takes it; `late`: nobody took it after all. */
  heard: "taken" | "kept" | "late";
  /** In words. */
  said: string;
}

/** In `details` of the fault `APPROVAL_DECIDED` (409): somebody was first. */
export interface DecisionConflict {
  /** Which request. */
  approvalId: string;
  /** What became of it, as far as that is known. */
  state: ApprovalState | "unknown";
  /** What was decided, and by whom: `inspector (this page, 12 s ago)`; where that is known. */
  decision?: ApprovalDecision;
  /** Who decided. */
  by?: string;
  /** When. */
  at?: Time;
}

/** `GET /api/approvals`. */
export interface Approvals {
  /** Those that wait, oldest first. */
  waiting: readonly Approval[];
  /** What was allowed for good. */
  grants: readonly ApprovalGrant[];
}
