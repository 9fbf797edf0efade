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
  /** Describes the effect on one line, without the tool's name. */
  summary: string;
  /** Lists facts to check, most serious first. */
  notes: readonly RiskMark[];
  /** Set if no caller waits: the answer is stored for the session or a repeated call. */
  unattended?: true;
  /** Contains the continuing command, if known. */
  resume?: string;
}

/** The body of `POST /api/approvals/ID`, for the role `act`. */
export interface DecisionRequest extends Pick<ApprovalAnswer, "grant" | "forMs"> {
  decision: ApprovalDecision;
}

export interface DecisionResult {
  approvalId: string;
  decision: ApprovalDecision;
  /** `taken`: the caller received it. `kept`: stored for a repeated call. `late`: it has no effect. */
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
