import type { ApprovalRequestRecord } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import { parsed } from "../../approvals/sealed-answer.ts";

/**
 * A request as it is written while it waits: its arguments whole, because the call may have to run by them; what is only
 * there to be read, with secrets covered.
 */
export function wholeText(request: ApprovalRequestRecord): string {
  const { attended: _, preview, offers, reason, noAlways, noProgramGrant, ...rest } = request;
  return JSON.stringify({
    ...rest,
    reason: redactSecrets(reason),
    noAlways: noAlways && redactSecrets(noAlways),
    noProgramGrant: noProgramGrant && redactSecrets(noProgramGrant),
    preview: preview.map((block) =>
      block.type === "text" ? { ...block, text: redactSecrets(block.text) } : block,
    ),
    offers: offers.map((offer) => ({ ...offer, summary: redactSecrets(offer.summary) })),
  });
}

export function settledText(text: string): string {
  try {
    const { args: _, parts: _parts, ...rest } = readRequest(text);
    return JSON.stringify({ ...rest, preview: [], offers: [] });
  } catch {
    return "{}";
  }
}

export function readRequest(text: string): ApprovalRequestRecord {
  const value = parsed(text) as Partial<ApprovalRequestRecord> | null;
  const isWhole =
    typeof value === "object" &&
    value !== null &&
    [value.approvalId, value.toolCallId, value.agentId, value.sessionKey, value.reason].every(isText) &&
    typeof value.tool === "object" &&
    [value.preview, value.offers].every(Array.isArray) &&
    [value.requestedAt, value.expiresAt].every((time) => typeof time === "number");
  if (!isWhole) throw new Error("it is no request");
  return value as ApprovalRequestRecord;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
