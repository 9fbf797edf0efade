import type { ApprovalRequestRecord } from "@haft/core";

const BEGINS = "guard-";

export function guardCallId(approvalId: string): string {
  return `${BEGINS}${approvalId}`;
}

/**
 * Returns whether a hook made a request for approval. The process of the hook has ended.
 *
 * @example
 * ```ts
 * import type { ApprovalRequestRecord } from "@haft/core";
 * import { isGuardRequest } from "@haft/guard/internal/clients";
 * declare const requests: readonly ApprovalRequestRecord[];
 * const fromHooks = requests.filter(isGuardRequest);
 * ```
 */
export function isGuardRequest({
  runId,
  toolCallId,
  approvalId,
}: Pick<ApprovalRequestRecord, "runId" | "toolCallId" | "approvalId">): boolean {
  return runId === undefined && toolCallId === guardCallId(approvalId);
}
