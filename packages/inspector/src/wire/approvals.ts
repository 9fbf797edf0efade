import type { ApprovalAnswer, ApprovalDecision, ApprovalRequestRecord } from "@haft/core";
import type { ApprovalState, RiskMark } from "@haft/core/internal";
import type { ApprovalGrant } from "@haft/core/kernel";
import type { Time } from "./basics.ts";

/**
 * A call that waits for a decision.
 *
 * @example
 * ```ts
 * import type { Approval } from "@haft/inspector";
 * const format = ({ agentId, tool, summary, reason }: Approval) => `${agentId} wants ${tool.name} ${summary}: ${reason}`;
 * ```
 */
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
  /** What the call does, on one line, without the name of the tool. */
  summary: string;
  /** Facts that a person should check, the most serious first. */
  notes: readonly RiskMark[];
  /** Set if nobody waits for the answer now. It is stored for whoever continues the session, or makes the same call again. */
  unattended?: true;
  /** The command that continues its session, if it is known. */
  resume?: string;
}

/** The body of `POST /api/approvals/ID`, which needs the role `act`. */
export interface DecisionRequest extends Pick<ApprovalAnswer, "grant" | "forMs"> {
  /** The decision. */
  decision: ApprovalDecision;
}

/** What happened to a decision. */
export interface DecisionResult {
  /** The id of the request. */
  approvalId: string;
  /** The decision. */
  decision: ApprovalDecision;
  /** `taken`: the caller has it. `kept`: it is stored until the call is made again. `late`: nobody took it. */
  heard: "taken" | "kept" | "late";
  /** The same as a sentence. */
  said: string;
}

/** The `details` of the error `APPROVAL_DECIDED` (409): somebody else decided first. */
export interface DecisionConflict {
  /** The id of the request. */
  approvalId: string;
  /** The state of the request, if it is known. */
  state: ApprovalState | "unknown";
  /** The decision, if it is known. */
  decision?: ApprovalDecision;
  /** Who decided: `inspector (this page, 12 s ago)`. */
  by?: string;
  /** When it was decided. */
  at?: Time;
}

/** The response of `GET /api/approvals`. */
export interface Approvals {
  /** The calls that wait, the oldest first. */
  waiting: readonly Approval[];
  /** The grants. */
  grants: readonly ApprovalGrant[];
}
