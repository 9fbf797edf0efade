import type { ApprovalAnswer, ApprovalRequestRecord } from "@haft/core";
import {
  approvalNotFoundError,
  redactSecrets,
  requireAnswer,
  requireOffer,
  type ApprovalScope,
  type ApprovalState,
} from "@haft/core/internal";
import type { ApprovalGrant, ApprovalStore } from "@haft/core/kernel";
import { withoutUndefined } from "@haft/utils";
import { SETTLED_MS } from "../../defaults.ts";
import { idTakenError } from "../../errors.ts";
import type { Link } from "../connection/link.ts";
import { idToken } from "../connection/names.ts";
import { Bucket, type BucketEntry } from "./bucket.ts";
import type { StoredGrant, MessageAuthenticator } from "./message-authenticator.ts";
import { RequestWatch } from "./request-watch.ts";
import {
  reopenRequest,
  isAttended,
  type StoredRequest,
  openRequest,
  toSettledRequest,
  getRequestState,
} from "./stored-request.ts";

/** Milliseconds between two signs of life of a waiting process. */
const SIGN_MS = 15_000;

type Which = { approvalId: string } | (ApprovalScope & { exactKey: string });

export class NatsApprovals implements ApprovalStore {
  readonly #link: Link;
  readonly #requests: Bucket<StoredRequest>;
  readonly #grants: Bucket<StoredGrant>;
  readonly #seals: MessageAuthenticator;
  readonly #watch: RequestWatch;
  readonly #waiting = new Map<string, (answer: ApprovalAnswer) => void>();
  readonly #told = new Set<string>();
  #unlisten: (() => void) | undefined;
  #signs: NodeJS.Timeout | undefined;

  constructor(link: Link, seals: MessageAuthenticator) {
    this.#link = link;
    this.#seals = seals;
    this.#requests = new Bucket(link, "request");
    this.#grants = new Bucket(link, "grant");
    this.#watch = new RequestWatch(link);
  }

  async grants({ agentId, sessionKey }: ApprovalScope): Promise<readonly ApprovalGrant[]> {
    const grants = await this.allGrants();
    return grants.filter((grant) => grant.agentId === agentId && grant.sessionKey === sessionKey);
  }

  async allGrants(): Promise<readonly ApprovalGrant[]> {
    const kept = await this.#grants.list();
    const now = this.#link.clock.now();
    return kept
      .filter(({ key, value }) => !isOver(value, now) && this.#isOurs(key, value))
      .map(({ value }) => value.grant)
      .toSorted((a, b) => a.createdAt - b.createdAt);
  }

  async addGrant(grant: ApprovalGrant): Promise<void> {
    const { id, expiresAt, summary } = grant;
    const now = await this.#link.serverNow();
    const endsAt = expiresAt === undefined ? undefined : now + expiresAt - Date.now();
    const seal = this.#seals.sealGrant(grant, endsAt);
    const kept = { grant: { ...grant, summary: redactSecrets(summary) }, endsAt, seal };
    if (!(await this.#grants.create(idToken(id), withoutUndefined(kept)))) throw idTakenError(id);
  }

  async useGrant(id: string): Promise<boolean> {
    const now = await this.#link.serverNow();
    return await this.#grants.change(idToken(id), (kept) => {
      if (isOver(kept, now) || !this.#seals.isAuthenticGrant(kept)) return undefined;
      const { grant } = kept;
      return { ...kept, grant: { ...grant, used: grant.used + 1, lastUsedAt: Date.now() } };
    });
  }

  async revoke(id: string): Promise<boolean> {
    const now = await this.#link.serverNow();
    return await this.#grants.change(idToken(id), (kept) => (isOver(kept, now) ? undefined : null));
  }

  async addRequest(request: ApprovalRequestRecord): Promise<void> {
    const { approvalId, expiresAt } = request;
    const now = await this.#link.serverNow();
    const kept = openRequest(request, now + expiresAt - Date.now());
    // The wait may have begun before the request was stored.
    const seen = this.#waiting.has(approvalId) ? { ...kept, seenAt: now } : kept;
    if (!(await this.#requests.create(idToken(approvalId), seen))) throw idTakenError(approvalId);
  }

  async removeRequest(
    approvalId: string,
    why: "decided" | "expired" | "withdrawn" = "withdrawn",
  ): Promise<void> {
    this.#stopWaiting(approvalId);
    await this.#change(approvalId, (kept, state) => {
      const isSettled = kept.state !== "open" && kept.state !== "answered";
      return isSettled ? undefined : toSettledRequest(kept, state === "expired" ? state : why);
    });
  }

  async requests(): Promise<readonly ApprovalRequestRecord[]> {
    const kept = await this.#requests.list();
    const now = this.#link.clock.now();
    return kept
      .filter(({ value }) => getRequestState(value, now) === "open")
      .map(({ value }) => ({ ...value.request, attended: this.#isAttended(value, now) }))
      .toSorted((a, b) => a.requestedAt - b.requestedAt);
  }

  async answer(approvalId: string, given: ApprovalAnswer): Promise<void> {
    let found: ApprovalState | "unknown" = "unknown";
    const answeredAt = await this.#link.serverNow();
    const changed = await this.#change(approvalId, (kept, state) => {
      found = state;
      if (state !== "open") return undefined;
      const answer = requireAnswer(given);
      requireOffer(kept.request, answer);
      return { ...kept, state: "answered", answer: this.#seals.sealAnswer(answer, kept), answeredAt };
    });
    if (!changed) throw approvalNotFoundError(approvalId, found);
    this.#hear();
  }

  waitForAnswer(approvalId: string, signal: AbortSignal): Promise<ApprovalAnswer> {
    return new Promise((resolve) => {
      if (signal.aborted) return;
      this.#waiting.set(approvalId, resolve);
      signal.addEventListener("abort", () => this.#stopWaiting(approvalId), { once: true });
      this.#unlisten ??= this.#watch.listen(() => this.#hear());
      this.#signs ??= setInterval(() => this.#signAll(), SIGN_MS).unref();
      void this.#look(approvalId, true);
    });
  }

  async takeAnswer(which: Which): Promise<{ approvalId: string; answer: ApprovalAnswer } | undefined> {
    const meant = "approvalId" in which ? [which] : await this.#askedBefore(which);
    for (const { approvalId } of meant) {
      let answer: ApprovalAnswer | undefined;
      const changed = await this.#change(approvalId, (kept, state) => {
        answer = undefined;
        if (state !== "answered") return undefined;
        answer = this.#answerOf(kept);
        return answer === undefined ? reopenRequest(kept) : toSettledRequest(kept, "decided");
      });
      if (changed && answer !== undefined) return { approvalId, answer };
    }
    return undefined;
  }

  async find(
    approvalId: string,
  ): Promise<{ state: ApprovalState; request: ApprovalRequestRecord } | undefined> {
    const now = await this.#link.serverNow();
    const entry = await this.#requests.get(idToken(approvalId));
    return entry && { state: getRequestState(entry.value, now), request: entry.value.request };
  }

  async awaitDelivery(approvalId: string, withinMs: number): Promise<boolean> {
    const until = performance.now() + withinMs;
    for (;;) {
      const now = await this.#link.serverNow();
      const kept = (await this.#requests.get(idToken(approvalId)))?.value;
      if (kept?.state !== "answered") return kept?.state === "decided";
      if (performance.now() >= until || !this.#isAttended(kept, now)) return false;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  watchRequests(look: () => void): () => void {
    return this.#watch.listen(look);
  }

  async sweep(): Promise<void> {
    const kept = await this.#requests.list();
    const now = this.#link.clock.now();
    const isOld = ({ value, at }: BucketEntry<StoredRequest>) =>
      !["open", "answered"].includes(getRequestState(value, now)) &&
      now - Math.max(at, value.endsAt) > SETTLED_MS;
    for (const entry of kept) if (isOld(entry)) await this.#requests.forget(entry.key);
    for (const { key, value } of await this.#grants.list())
      if (isOver(value, this.#link.clock.now())) await this.#grants.forget(key);
  }

  problem(): string | undefined {
    return this.#grants.problem() ?? this.#requests.problem();
  }

  /** Waiting requests remain, so that other processes can take their answers. */
  async close(): Promise<void> {
    const left = [...this.#waiting.keys()];
    this.#waiting.clear();
    this.#stopListening();
    await Promise.allSettled(left.map((approvalId) => this.#sign(approvalId, false)));
  }

  /** Finds answered requests for the same call that no process waits for. */
  async #askedBefore({ agentId, sessionKey, exactKey }: ApprovalScope & { exactKey: string }) {
    const kept = await this.#requests.list();
    const now = this.#link.clock.now();
    return kept
      .filter(({ value }) => getRequestState(value, now) === "answered" && !this.#isAttended(value, now))
      .map(({ value }) => value.request)
      .filter(
        (request) =>
          request.agentId === agentId && request.sessionKey === sessionKey && request.exactKey === exactKey,
      );
  }

  #isOurs(key: string, kept: StoredGrant): boolean {
    const isOurs = this.#seals.isAuthenticGrant(kept);
    if (!isOurs) this.#grants.note(key, "it has no seal of `sealKeyFile`");
    return isOurs;
  }

  #answerOf(kept: StoredRequest): ApprovalAnswer | undefined {
    try {
      return this.#seals.readAnswer(kept);
    } catch (thrown) {
      const { approvalId } = kept.request;
      const why = `${(thrown as Error).message}, or by a host with another \`sealKeyFile\``;
      this.#link.logger?.warn(`An answer to ${approvalId} was not used: ${why}.`);
      return undefined;
    }
  }

  async #change(
    approvalId: string,
    change: (kept: StoredRequest, state: ApprovalState) => StoredRequest | undefined,
  ): Promise<boolean> {
    const now = await this.#link.serverNow();
    return await this.#requests.change(idToken(approvalId), (kept) =>
      change(kept, getRequestState(kept, now)),
    );
  }

  #isAttended(kept: StoredRequest, now: number): boolean {
    return this.#waiting.has(kept.request.approvalId) || isAttended(kept, now);
  }

  #signAll(): void {
    this.#watch.again();
    for (const approvalId of this.#waiting.keys()) void this.#look(approvalId, true);
  }

  #hear(): void {
    for (const approvalId of this.#waiting.keys()) void this.#look(approvalId, false);
  }

  async #look(approvalId: string, sign: boolean): Promise<void> {
    try {
      if (sign) await this.#sign(approvalId, true);
      const entry = await this.#requests.get(idToken(approvalId));
      if (entry?.value.state !== "answered") return;
      const answer = this.#answerOf(entry.value);
      const tell = this.#waiting.get(approvalId);
      if (answer !== undefined && tell !== undefined) {
        this.#told.add(approvalId);
        tell(answer);
      } else if (answer === undefined)
        await this.#change(approvalId, (kept, now) =>
          now === "answered" && this.#answerOf(kept) === undefined ? reopenRequest(kept) : undefined,
        );
    } catch {
      // The server is unreachable. The next sign of life checks again.
    }
  }

  async #sign(approvalId: string, isThere: boolean): Promise<void> {
    const seenAt = isThere ? await this.#link.serverNow() : 0;
    const isThereNow = () => this.#waiting.has(approvalId) === isThere;
    await this.#requests.change(idToken(approvalId), (kept) =>
      (kept.state === "open" || kept.state === "answered") && isThereNow() ? { ...kept, seenAt } : undefined,
    );
  }

  #stopWaiting(approvalId: string): void {
    if (!this.#waiting.delete(approvalId)) return;
    // Releases an open request to other processes. After a delivered answer, the last sign of life reserves it briefly.
    if (!this.#told.delete(approvalId)) void this.#sign(approvalId, false).catch(() => {});
    if (this.#waiting.size === 0) this.#stopListening();
  }

  #stopListening(): void {
    clearInterval(this.#signs);
    this.#signs = undefined;
    this.#unlisten?.();
    this.#unlisten = undefined;
  }
}

function isOver({ endsAt }: StoredGrant, now: number): boolean {
  return endsAt !== undefined && endsAt <= now;
}
