import type { ApprovalRequestRecord } from "@haft/core";

const BEGINS = "guard-";

/** The id of a call that a hook of an agent asked about. */
export function guardCallId(approvalId: string): string {
  return `${BEGINS}${approvalId}`;
}

/** Whether a hook of an agent asked, and no session of Haft. */
export function isOfGuard({ toolCallId }: Pick<ApprovalRequestRecord, "toolCallId">): boolean {
  return toolCallId.startsWith(BEGINS);
}
