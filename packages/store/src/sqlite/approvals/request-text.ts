import type { ApprovalAnswer, ApprovalRequestRecord } from "@haft/core";
import { redactSecrets, requireAnswer } from "@haft/core/internal";
import { createHmac, timingSafeEqual } from "node:crypto";

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

/** What is left of it once it is over: who asked, when and why. */
export function settledText(text: string): string {
  try {
    const { args: _, parts: _parts, ...rest } = readRequest(text);
    return JSON.stringify({ ...rest, preview: [], offers: [] });
  } catch {
    return "{}";
  }
}

/** @throws Error saying what is wrong with it */
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

/**
 * An answer as it is written: with a seal over it and over the very request it is for, made with a secret of that request. A
 * row that somebody writes without having read the request, or takes from another one, is no answer.
 */
export function answerText(answer: ApprovalAnswer, request: SealedRequest): string {
  const given = JSON.stringify(answer);
  return JSON.stringify({ answer: given, seal: sealOf(given, request) });
}

/** @throws Error saying what is wrong with it */
export function readAnswer(text: string, request: SealedRequest): ApprovalAnswer {
  const { answer, seal } = parsed(text) as { answer?: unknown; seal?: unknown };
  if (!isText(answer) || !isText(seal)) throw new Error("it is no answer");
  const right = Buffer.from(sealOf(answer, request));
  const found = Buffer.from(seal);
  if (right.length !== found.length || !timingSafeEqual(right, found))
    throw new Error("it was not given to this request");
  return requireAnswer(parsed(answer));
}

/** What an answer is sealed with. */
export interface SealedRequest {
  id: string;
  secret: string;
  record: string;
}

function sealOf(answer: string, { id, secret, record }: SealedRequest): string {
  return createHmac("sha256", secret)
    .update(JSON.stringify([id, record, answer]))
    .digest("hex");
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("it is damaged");
  }
}
