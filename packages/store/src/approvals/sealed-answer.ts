import type { ApprovalAnswer } from "@haft/core";
import { requireAnswer } from "@haft/core/internal";
import { createHmac, timingSafeEqual } from "node:crypto";

export interface SealedRequest {
  id: string;
  secret: string;
  record: string;
}

/**
 * Seals an answer to exactly this request, with its secret. Answers forged without reading the request, or copied from another, are
 * invalid.
 */
export function sealAnswer(answer: ApprovalAnswer, request: SealedRequest): string {
  const given = JSON.stringify(answer);
  return JSON.stringify({ answer: given, seal: sealOf(given, request) });
}

export function readAnswer(text: string, request: SealedRequest): ApprovalAnswer {
  const { answer, seal } = (parseJson(text) ?? {}) as { answer?: unknown; seal?: unknown };
  if (typeof answer !== "string" || typeof seal !== "string") throw new Error("it is not an answer");
  if (!isSameSeal(sealOf(answer, request), seal)) throw new Error("it was not given to this request");
  return requireAnswer(parseJson(answer));
}

/** Compares in constant time. */
export function isSameSeal(right: string, found: string): boolean {
  const [one, other] = [Buffer.from(right), Buffer.from(found)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function sealOf(answer: string, { id, secret, record }: SealedRequest): string {
  return createHmac("sha256", secret)
    .update(JSON.stringify([id, record, answer]))
    .digest("hex");
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("it is damaged");
  }
}
