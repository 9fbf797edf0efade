import type { ApprovalRequestRecord } from "@haft/core";

const BEGINS = "guard-";

export function guardCallId(approvalId: string): string {
  return `${BEGINS}${approvalId}`;
}

/** Whether a hook of an agent asked, which is gone at once, and no session of Haft: there a model may give its calls any id. */
export function isGuardRequest({
  runId,
  toolCallId,
  approvalId,
}: Pick<ApprovalRequestRecord, "runId" | "toolCallId" | "approvalId">): boolean {
  return runId === undefined && toolCallId === guardCallId(approvalId);
}
