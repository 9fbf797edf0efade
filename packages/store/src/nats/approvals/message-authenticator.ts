import type { ApprovalAnswer } from "@haft/core";
import type { ApprovalGrant } from "@haft/core/kernel";
import { createHmac } from "node:crypto";
import { sealAnswer, isSameSeal, readAnswer, type SealedRequest } from "../../approvals/sealed-answer.ts";
import type { StoredRequest } from "./stored-request.ts";

export interface StoredGrant {
  readonly grant: ApprovalGrant;
  /** By the server's clock. */
  readonly endsAt?: number;
  readonly seal?: string;
}

/**
 * Authenticates answers, grants and records. Without the operator's key, only a secret that every reader of the bucket knows binds an
 * answer to its request.
 */
export class MessageAuthenticator {
  readonly #key: Uint8Array | undefined;

  constructor(key: Uint8Array | undefined) {
    this.#key = key;
  }

  sealAnswer(answer: ApprovalAnswer, stored: StoredRequest): string {
    return sealAnswer(answer, this.#sealed(stored));
  }

  readAnswer(stored: StoredRequest): ApprovalAnswer {
    return readAnswer(stored.answer ?? "", this.#sealed(stored));
  }

  sealGrant(grant: ApprovalGrant, endsAt: number | undefined): string | undefined {
    if (this.#key === undefined) return undefined;
    const { id, agentId, sessionKey, kind, toolId, key } = grant;
    return this.#hmac(JSON.stringify(["grant", id, agentId, sessionKey, kind, toolId, key, endsAt ?? null]));
  }

  isAuthenticGrant({ grant, endsAt, seal = "" }: StoredGrant): boolean {
    const right = this.sealGrant(grant, endsAt);
    return right === undefined || isSameSeal(right, seal);
  }

  /** Returns nothing without a key. An older record still has a valid seal. */
  sealRecord(key: string, record: unknown): string | undefined {
    return this.#key === undefined ? undefined : this.#hmac(JSON.stringify(["record", key, record]));
  }

  isAuthenticRecord(key: string, record: unknown, seal = ""): boolean {
    const right = this.sealRecord(key, record);
    return right === undefined || isSameSeal(right, seal);
  }

  #sealed({ request, secret = "" }: StoredRequest): SealedRequest {
    const record = JSON.stringify(request);
    return { id: request.approvalId, secret: this.#key === undefined ? secret : this.#hmac(secret), record };
  }

  #hmac(text: string): string {
    return createHmac("sha256", this.#key!).update(text).digest("hex");
  }
}
