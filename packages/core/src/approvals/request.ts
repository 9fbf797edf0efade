import type { ApprovalRequestRecord } from "../contract/approval-port.ts";
import { withoutUndefined } from "../contract/without-undefined.ts";
import { deepFreeze } from "../parameters/copy-arguments.ts";
import { LONGEST_DELAY } from "../utils/timer.ts";
import type { SubjectFacts } from "./grants.ts";
import { previewOf, promptText } from "./preview.ts";
import { newShortId } from "./short-id.ts";
import type { ApprovalSession, ApprovalSubject } from "./subject.ts";

/**
 * What is asked about a call. Frozen, and a copy: it goes to listeners, an approver and a store, and none of them
 * can change what runs, or what another of them sees.
 */
export function requestOf(
  session: ApprovalSession,
  call: ApprovalSubject & { readonly id: string; readonly toolName: string },
  { marks, ...subject }: SubjectFacts,
  { isTaken, timeoutMs }: { isTaken: (approvalId: string) => boolean; timeoutMs: number },
): ApprovalRequestRecord {
  const { id, name, effects } = call.tool.facts;
  const requestedAt = Date.now();
  const risks = marks.map((mark) => ({ ...mark, text: promptText(mark.text).replaceAll("\n", "\\n") }));
  const request = withoutUndefined<ApprovalRequestRecord>({
    approvalId: newShortId(isTaken),
    toolCallId: call.id,
    agentId: session.facts.agentId,
    sessionKey: session.key,
    sessionKind: session.facts.kind,
    tool: { id, name, effects },
    args: call.args,
    reason: call.decision.reason,
    preview: previewOf(call),
    risks: risks.length === 0 ? undefined : risks,
    ...subject,
    requestedAt,
    expiresAt: requestedAt + Math.min(timeoutMs, LONGEST_DELAY),
    runId: session.runId,
  });
  return deepFreeze(structuredClone(request));
}
