import type { ApprovalRequestRecord } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import { parseJson } from "./sealed-answer.ts";

/** Masks secrets for readers. The arguments remain complete, since the call may run with them. */
export function redactRequest(request: ApprovalRequestRecord): ApprovalRequestRecord {
  const { attended: _, preview, offers, reason, noAlways, noProgramGrant, ...rest } = request;
  return {
    ...rest,
    reason: redactSecrets(reason),
    ...(noAlways !== undefined && { noAlways: redactSecrets(noAlways) }),
    ...(noProgramGrant !== undefined && { noProgramGrant: redactSecrets(noProgramGrant) }),
    preview: preview.map((block) =>
      block.type === "text" ? { ...block, text: redactSecrets(block.text) } : block,
    ),
    offers: offers.map((offer) => ({ ...offer, summary: redactSecrets(offer.summary) })),
  };
}

export function settleRequest(request: ApprovalRequestRecord): ApprovalRequestRecord {
  const { parts: _, ...rest } = request;
  return { ...rest, args: undefined, preview: [], offers: [] };
}

export function readRequest(text: string): ApprovalRequestRecord {
  const value = parseJson(text) as Partial<ApprovalRequestRecord> | null;
  const { approvalId, toolCallId, agentId, sessionKey, reason, tool, preview, offers } = value ?? {};
  const isWhole =
    [approvalId, toolCallId, agentId, sessionKey, reason].every((field) => typeof field === "string") &&
    typeof tool === "object" &&
    [preview, offers].every(Array.isArray) &&
    [value?.requestedAt, value?.expiresAt].every((time) => typeof time === "number");
  if (!isWhole) throw new Error("it is not a request");
  return value as ApprovalRequestRecord;
}
