import type {
  ApprovalAnswer,
  ApprovalGrant,
  ApprovalRequestRecord,
  ApprovalScope,
  ApprovalStore,
} from "../contract/approval-port.ts";
import type { HaftError } from "../contract/errors.ts";
import { coreError } from "../errors.ts";
import { requireAnswer, requireOffer } from "./read-answer.ts";

/** Approvals of this process: gone with it. */
export function createMemoryApprovals(): ApprovalStore {
  return new MemoryApprovals();
}

class MemoryApprovals implements ApprovalStore {
  readonly #grants = new Map<string, ApprovalGrant>();
  readonly #requests = new Map<string, ApprovalRequestRecord>();
  readonly #watchers = new Map<string, (answer: ApprovalAnswer) => void>();

  async grants({ agentId, sessionKey }: ApprovalScope): Promise<readonly ApprovalGrant[]> {
    const all = await this.allGrants();
    return all.filter((grant) => grant.agentId === agentId && grant.sessionKey === sessionKey);
  }

  async allGrants(): Promise<readonly ApprovalGrant[]> {
    this.#forgetExpired();
    return [...this.#grants.values()];
  }

  async addGrant(grant: ApprovalGrant): Promise<void> {
    this.#grants.set(grant.id, grant);
  }

  async useGrant(id: string): Promise<boolean> {
    this.#forgetExpired();
    const grant = this.#grants.get(id);
    if (grant === undefined) return false;
    this.#grants.set(id, { ...grant, used: grant.used + 1, lastUsedAt: Date.now() });
    return true;
  }

  async revoke(id: string): Promise<boolean> {
    this.#forgetExpired();
    return this.#grants.delete(id);
  }

  async addRequest(request: ApprovalRequestRecord): Promise<void> {
    this.#requests.set(request.approvalId, request);
  }

  async removeRequest(approvalId: string): Promise<void> {
    this.#requests.delete(approvalId);
    this.#watchers.delete(approvalId);
  }

  async requests(): Promise<readonly ApprovalRequestRecord[]> {
    const now = Date.now();
    return [...this.#requests.values()].filter(({ expiresAt }) => expiresAt > now);
  }

  async answer(approvalId: string, given: ApprovalAnswer): Promise<void> {
    const request = this.#requests.get(approvalId);
    const tell = this.#watchers.get(approvalId);
    if (request === undefined || tell === undefined) throw approvalNotFound(approvalId);
    const answer = requireAnswer(given);
    requireOffer(request, answer);
    this.#requests.delete(approvalId);
    this.#watchers.delete(approvalId);
    tell(answer);
  }

  answered(approvalId: string, signal: AbortSignal): Promise<ApprovalAnswer> {
    return new Promise((resolve) => {
      if (signal.aborted) return;
      this.#watchers.set(approvalId, resolve);
      signal.addEventListener("abort", () => this.#watchers.delete(approvalId), { once: true });
    });
  }

  #forgetExpired(): void {
    const now = Date.now();
    for (const { id, expiresAt } of this.#grants.values()) {
      if (expiresAt !== undefined && expiresAt <= now) this.#grants.delete(id);
    }
  }
}

export function approvalNotFound(approvalId: string): HaftError {
  const message = `No call waits for approval ${approvalId}: it was decided already, its time is over, or it was never asked.`;
  return coreError("APPROVAL_NOT_FOUND", message);
}
