import type { ApprovalAnswer, ApprovalDecision, ApprovalRequestRecord } from "@haft/core";
import type { ApprovalState, RiskMark } from "@haft/core/internal";
import type { ApprovalGrant } from "@haft/core/kernel";
import type { Time } from "./basics.ts";

/**
 * Describes a call that waits for a decision.
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
  /** Describes the effect on one line, without the name of the tool. */
  summary: string;
  /** Lists facts for a person to check, the most serious first. */
  notes: readonly RiskMark[];
  /** Set if no caller waits now. The answer is stored until the session continues or the same call is made again. */
  unattended?: true;
  /** Contains the command that continues the session, if it is known. */
  resume?: string;
}

/** The body of `POST /api/approvals/ID`, for the role `act`. */
export interface DecisionRequest extends Pick<ApprovalAnswer, "grant" | "forMs"> {
  decision: ApprovalDecision;
}

export interface DecisionResult {
  approvalId: string;
  decision: ApprovalDecision;
  /** `taken`: the caller received it. `kept`: it is stored until the call is made again. `late`: it has no effect. */
  heard: "taken" | "kept" | "late";
  /** A sentence about `heard`. */
  said: string;
}

/** The `details` of the error `APPROVAL_DECIDED` (409). */
export interface DecisionConflict {
  approvalId: string;
  state: ApprovalState | "unknown";
  decision?: ApprovalDecision;
  /** For example `inspector (this page, 12 s ago)`. */
  by?: string;
  at?: Time;
}

export interface Approvals {
  /** The oldest first. */
  waiting: readonly Approval[];
  grants: readonly ApprovalGrant[];
}
