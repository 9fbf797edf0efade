import type { ApprovalRequestRecord } from "@haft/core";
import type { ApprovalState } from "@haft/core/internal";
import { randomBytes } from "node:crypto";
import { redactRequest, settleRequest } from "../../approvals/request-text.ts";
import { ANSWER_MS } from "../../defaults.ts";

/** Milliseconds of presence after a sign of life. */
const ATTENDED_MS = 45_000;

/** Times are of the server's clock, except inside the request. */
export interface StoredRequest {
  readonly request: ApprovalRequestRecord;
  readonly state: ApprovalState;
  readonly endsAt: number;
  readonly secret?: string;
  readonly answer?: string;
  readonly answeredAt?: number;
  readonly seenAt?: number;
}

export function getRequestState(
  { state, endsAt, answeredAt = 0 }: StoredRequest,
  now: number,
): ApprovalState {
  if (state === "open" && endsAt <= now) return "expired";
  if (state === "answered" && answeredAt + ANSWER_MS <= now) return "expired";
  return state;
}

export function isAttended({ seenAt = 0 }: StoredRequest, now: number): boolean {
  return now - seenAt < ATTENDED_MS;
}

export function openRequest(request: ApprovalRequestRecord, endsAt: number): StoredRequest {
  return {
    request: redactRequest(request),
    state: "open",
    endsAt,
    secret: randomBytes(32).toString("base64url"),
  };
}

export function toSettledRequest({ request, endsAt }: StoredRequest, state: ApprovalState): StoredRequest {
  return { request: settleRequest(request), state, endsAt };
}

export function reopenRequest(answered: StoredRequest): StoredRequest {
  const { answer: _, answeredAt: _at, ...rest } = answered;
  return { ...rest, state: "open" };
}
