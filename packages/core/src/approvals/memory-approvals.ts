import type {
  ApprovalAnswer,
  ApprovalGrant,
  ApprovalRequestRecord,
  ApprovalScope,
  ApprovalState,
  ApprovalStore,
} from "../contract/approval-port.ts";
import { coreError } from "../errors.ts";
import { approvalNotFoundError } from "./approval-not-found-error.ts";
import { requireAnswer, requireOffer } from "./read-answer.ts";

/** Keeps unclaimed answers for a day. */
const STORED_MS = 24 * 3_600_000;
const MAX_KNOWN = 1_000;

/**
 * Creates an approval store in memory.
 *
 * @example
 * ```ts run
 * import { createMemoryApprovals } from "@haft/core/kernel";
 *
 * const approvals = createMemoryApprovals();
 * const scope = { agentId: "main", sessionKey: "chat-7" };
 * await approvals.addGrant({
 *   ...scope,
 *   id: "g1",
 *   toolId: "haft-exec/exec",
 *   kind: "exact",
 *   key: "sha256-of-the-call",
 *   summary: "git push",
 *   createdAt: Date.now(),
 *   used: 0,
 * });
 * const grants = await approvals.grants(scope);
 * grants.map(({ summary }) => summary); // => ["git push"]
 * ```
 */
export function createMemoryApprovals(): ApprovalStore {
  return new MemoryApprovals();
}

const UNSETTLED: readonly ApprovalState[] = ["open", "answered"];

interface StoredRequest {
  request: ApprovalRequestRecord;
  state: ApprovalState;
  answer?: ApprovalAnswer;
  answeredAt: number;
}

class MemoryApprovals implements ApprovalStore {
  readonly #grants = new Map<string, ApprovalGrant>();
  readonly #stored = new Map<string, StoredRequest>();
  readonly #waiting = new Map<string, (answer: ApprovalAnswer) => void>();

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
    const { approvalId } = request;
    if (this.#stored.has(approvalId))
      throw coreError("APPROVAL_ID_TAKEN", `A request ${JSON.stringify(approvalId)} already exists.`);
    this.#stored.set(approvalId, { request, state: "open", answeredAt: 0 });
  }

  async removeRequest(
    approvalId: string,
    why: "decided" | "expired" | "withdrawn" = "withdrawn",
  ): Promise<void> {
    this.#waiting.delete(approvalId);
    const stored = this.#stored.get(approvalId);
    if (stored === undefined || !UNSETTLED.includes(stored.state)) return;
    this.#settle(stored, stateOf(stored) === "expired" ? "expired" : why);
  }

  async requests(): Promise<readonly ApprovalRequestRecord[]> {
    const open = [...this.#stored.values()].filter((stored) => stateOf(stored) === "open");
    return open.map(({ request }) => ({ ...request, attended: this.#waiting.has(request.approvalId) }));
  }

  async answer(approvalId: string, given: ApprovalAnswer): Promise<void> {
    const stored = this.#stored.get(approvalId);
    const state = stored && stateOf(stored);
    if (stored === undefined || state !== "open") throw approvalNotFoundError(approvalId, state ?? "unknown");
    const answer = requireAnswer(given);
    requireOffer(stored.request, answer);
    Object.assign(stored, {
      state: "answered",
      answer,
      answeredAt: Date.now(),
    } satisfies Partial<StoredRequest>);
    this.#waiting.get(approvalId)?.(answer);
  }

  waitForAnswer(approvalId: string, signal: AbortSignal): Promise<ApprovalAnswer> {
    return new Promise((resolve) => {
      if (signal.aborted) return;
      const stored = this.#stored.get(approvalId);
      if (stored !== undefined && stateOf(stored) === "answered") resolve(stored.answer!);
      this.#waiting.set(approvalId, resolve);
      signal.addEventListener("abort", () => this.#waiting.delete(approvalId), { once: true });
    });
  }

  async takeAnswer(
    which: { approvalId: string } | (ApprovalScope & { exactKey: string }),
  ): Promise<{ approvalId: string; answer: ApprovalAnswer } | undefined> {
    const stored = this.#answered(which);
    if (stored === undefined) return undefined;
    const { answer } = stored;
    this.#settle(stored, "decided");
    return { approvalId: stored.request.approvalId, answer: answer! };
  }

  async peekAnswer(
    which: ApprovalScope & { exactKey: string },
  ): Promise<{ approvalId: string; answer: ApprovalAnswer } | undefined> {
    const stored = this.#answered(which);
    return stored && { approvalId: stored.request.approvalId, answer: stored.answer! };
  }

  async find(
    approvalId: string,
  ): Promise<{ state: ApprovalState; request: ApprovalRequestRecord } | undefined> {
    const stored = this.#stored.get(approvalId);
    return stored && { state: stateOf(stored), request: stored.request };
  }

  #answered(which: Parameters<NonNullable<ApprovalStore["takeAnswer"]>>[0]): StoredRequest | undefined {
    return [...this.#stored.values()].find(
      (one) => stateOf(one) === "answered" && this.#isMeant(one.request, which),
    );
  }

  #isMeant(
    request: ApprovalRequestRecord,
    which: Parameters<NonNullable<ApprovalStore["takeAnswer"]>>[0],
  ): boolean {
    if ("approvalId" in which) return request.approvalId === which.approvalId;
    const { agentId, sessionKey, exactKey } = which;
    // A waiting process has priority.
    if (this.#waiting.has(request.approvalId)) return false;
    return request.agentId === agentId && request.sessionKey === sessionKey && request.exactKey === exactKey;
  }

  #settle(stored: StoredRequest, state: "decided" | "expired" | "withdrawn"): void {
    const { args: _, parts: _parts, ...request } = stored.request;
    stored.state = state;
    stored.request = { ...request, args: undefined, preview: [] };
    delete stored.answer;
    if (this.#stored.size <= MAX_KNOWN) return;
    for (const [id, one] of this.#stored) {
      if (!UNSETTLED.includes(stateOf(one))) return void this.#stored.delete(id);
    }
  }

  #forgetExpired(): void {
    const now = Date.now();
    for (const { id, expiresAt } of this.#grants.values()) {
      if (expiresAt !== undefined && expiresAt <= now) this.#grants.delete(id);
    }
  }
}

function stateOf({ state, request, answeredAt }: StoredRequest): ApprovalState {
  const now = Date.now();
  if (state === "open" && request.expiresAt <= now) return "expired";
  if (state === "answered" && answeredAt + STORED_MS <= now) return "expired";
  return state;
}
