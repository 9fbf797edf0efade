import type { ApprovalRequestRecord } from "../contract/approval-port.ts";
import type { Call } from "../kernel/call.ts";
import { LONGEST_DELAY } from "../time/timer.ts";
import { offersOf } from "./grants.ts";
import { previewOf } from "./preview.ts";
import { newShortId } from "./short-id.ts";

/**
 * What is asked about a call. Frozen, and a copy: it goes to listeners, an approver and a store, and none of them
 * can change what runs, or what another of them sees.
 */
export function requestOf(call: Call): ApprovalRequestRecord {
  const { session, decision } = call;
  const { id, name, effects } = call.tool!.facts;
  const requestedAt = Date.now();
  const request: ApprovalRequestRecord = {
    approvalId: newShortId((taken) => session.waiting.has(taken)),
    toolCallId: call.id,
    agentId: session.facts.agentId,
    sessionKey: session.key,
    sessionKind: session.facts.kind,
    tool: { id, name, effects },
    args: call.args,
    reason: decision!.reason,
    preview: previewOf(call),
    ...offersOf(session, call),
    requestedAt,
    expiresAt: requestedAt + Math.min(session.settings.approvalTimeoutMs, LONGEST_DELAY),
  };
  return freeze(structuredClone(request));
}

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
