import type { ApprovalRequestRecord } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import type { ApprovalState } from "@haft/core/kernel";
import { randomBytes } from "node:crypto";

/** Milliseconds an answer is kept for whoever continues its run, or makes the same call again: a day. */
const KEPT_MS = 24 * 3_600_000;
/** Milliseconds after its last sign that whoever asked counts as there. */
const ATTENDED_MS = 45_000;

/** A request, and what became of it. Times are of the server's clock, but for those in the request itself. */
export interface KeptRequest {
  /** Without what it was about once it is over. */
  readonly request: ApprovalRequestRecord;
  readonly state: ApprovalState;
  readonly endsAt: number;
  /** Made for it; its answer is sealed with it. */
  readonly secret?: string;
  readonly answer?: string;
  readonly answeredAt?: number;
  /** When whoever waits for the answer last said so. */
  readonly seenAt?: number;
}

export function stateOf({ state, endsAt, answeredAt = 0 }: KeptRequest, now: number): ApprovalState {
  if (state === "open" && endsAt <= now) return "expired";
  if (state === "answered" && answeredAt + KEPT_MS <= now) return "expired";
  return state;
}

export function isAttended({ seenAt = 0 }: KeptRequest, now: number): boolean {
  return now - seenAt < ATTENDED_MS;
}

/** Arguments whole, because the call may have to run by them; what is only there to be read, with secrets covered. */
export function openRequest(request: ApprovalRequestRecord, endsAt: number): KeptRequest {
  const { attended: _, preview, offers, reason, noAlways, noProgramGrant, ...rest } = request;
  return {
    request: {
      ...rest,
      reason: redactSecrets(reason),
      ...(noAlways !== undefined && { noAlways: redactSecrets(noAlways) }),
      ...(noProgramGrant !== undefined && { noProgramGrant: redactSecrets(noProgramGrant) }),
      preview: preview.map((block) =>
        block.type === "text" ? { ...block, text: redactSecrets(block.text) } : block,
      ),
      offers: offers.map((offer) => ({ ...offer, summary: redactSecrets(offer.summary) })),
    },
    state: "open",
    endsAt,
    secret: randomBytes(32).toString("base64url"),
  };
}

export function settled({ request, endsAt }: KeptRequest, state: ApprovalState): KeptRequest {
  const { args: _, parts: _parts, ...rest } = request;
  return { request: { ...rest, args: undefined, preview: [], offers: [] }, state, endsAt };
}

export function asked(answered: KeptRequest): KeptRequest {
  const { answer: _, answeredAt: _at, ...kept } = answered;
  return { ...kept, state: "open" };
}
