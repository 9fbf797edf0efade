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

/** Interval of a waiting process's signs of life. */
const SIGN_MS = 15_000;

type Which = { approvalId: string } | (ApprovalScope & { exactKey: string });

export class NatsApprovals implements ApprovalStore {
  readonly #link: Link;
  readonly #requests: Bucket<StoredRequest>;
  readonly #grants: Bucket<StoredGrant>;
  readonly #seals: MessageAuthenticator;
  readonly #watch: RequestWatch;
  readonly #waiting = new Map<string, (answer: ApprovalAnswer) => void>();
  readonly #delivered = new Set<string>();
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
    const stored = await this.#grants.list();
    const now = this.#link.clock.now();
    return stored
      .filter(({ key, value }) => !isOver(value, now) && this.#isOurs(key, value))
      .map(({ value }) => value.grant)
      .toSorted((a, b) => a.createdAt - b.createdAt);
  }

  async addGrant(grant: ApprovalGrant): Promise<void> {
    const { id, expiresAt, summary } = grant;
    const now = await this.#link.serverNow();
    const endsAt = expiresAt === undefined ? undefined : now + expiresAt - Date.now();
    const seal = this.#seals.sealGrant(grant, endsAt);
    const stored = { grant: { ...grant, summary: redactSecrets(summary) }, endsAt, seal };
    if (!(await this.#grants.create(idToken(id), withoutUndefined(stored)))) throw idTakenError(id);
  }

  async useGrant(id: string): Promise<boolean> {
    const now = await this.#link.serverNow();
    return await this.#grants.change(idToken(id), (stored) => {
      if (isOver(stored, now) || !this.#seals.isAuthenticGrant(stored)) return undefined;
      const { grant } = stored;
      return { ...stored, grant: { ...grant, used: grant.used + 1, lastUsedAt: Date.now() } };
    });
  }

  async revoke(id: string): Promise<boolean> {
    const now = await this.#link.serverNow();
    return await this.#grants.change(idToken(id), (stored) => (isOver(stored, now) ? undefined : null));
  }

  async addRequest(request: ApprovalRequestRecord): Promise<void> {
    const { approvalId, expiresAt } = request;
    const now = await this.#link.serverNow();
    const stored = openRequest(request, now + expiresAt - Date.now());
    // The wait may have begun before the request was stored.
    const seen = this.#waiting.has(approvalId) ? { ...stored, seenAt: now } : stored;
    if (!(await this.#requests.create(idToken(approvalId), seen))) throw idTakenError(approvalId);
  }

  async removeRequest(
    approvalId: string,
    why: "decided" | "expired" | "withdrawn" = "withdrawn",
  ): Promise<void> {
    this.#stopWaiting(approvalId);
    await this.#change(approvalId, (stored, state) => {
      const isSettled = stored.state !== "open" && stored.state !== "answered";
      return isSettled ? undefined : toSettledRequest(stored, state === "expired" ? state : why);
    });
  }

  async requests(): Promise<readonly ApprovalRequestRecord[]> {
    const stored = await this.#requests.list();
    const now = this.#link.clock.now();
    return stored
      .filter(({ value }) => getRequestState(value, now) === "open")
      .map(({ value }) => ({ ...value.request, attended: this.#isAttended(value, now) }))
      .toSorted((a, b) => a.requestedAt - b.requestedAt);
  }

  async answer(approvalId: string, given: ApprovalAnswer): Promise<void> {
    let found: ApprovalState | "unknown" = "unknown";
    const answeredAt = await this.#link.serverNow();
    const changed = await this.#change(approvalId, (stored, state) => {
      found = state;
      if (state !== "open") return undefined;
      const answer = requireAnswer(given);
      requireOffer(stored.request, answer);
      return { ...stored, state: "answered", answer: this.#seals.sealAnswer(answer, stored), answeredAt };
    });
    if (!changed) throw approvalNotFoundError(approvalId, found);
    this.#deliver();
  }

  waitForAnswer(approvalId: string, signal: AbortSignal): Promise<ApprovalAnswer> {
    return new Promise((resolve) => {
      if (signal.aborted) return;
      this.#waiting.set(approvalId, resolve);
      signal.addEventListener("abort", () => this.#stopWaiting(approvalId), { once: true });
      this.#unlisten ??= this.#watch.listen(() => this.#deliver());
      this.#signs ??= setInterval(() => this.#signAll(), SIGN_MS).unref();
      void this.#check(approvalId, true);
    });
  }

  async takeAnswer(which: Which): Promise<{ approvalId: string; answer: ApprovalAnswer } | undefined> {
    const meant = "approvalId" in which ? [which] : await this.#findAnswered(which);
    for (const { approvalId } of meant) {
      let answer: ApprovalAnswer | undefined;
      const changed = await this.#change(approvalId, (stored, state) => {
        answer = undefined;
        if (state !== "answered") return undefined;
        answer = this.#answerOf(stored);
        return answer === undefined ? reopenRequest(stored) : toSettledRequest(stored, "decided");
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
      const stored = (await this.#requests.get(idToken(approvalId)))?.value;
      if (stored?.state !== "answered") return stored?.state === "decided";
      if (performance.now() >= until || !this.#isAttended(stored, now)) return false;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  watchRequests(onChange: () => void): () => void {
    return this.#watch.listen(onChange);
  }

  async sweep(): Promise<void> {
    const stored = await this.#requests.list();
    const now = this.#link.clock.now();
    const isOld = ({ value, at }: BucketEntry<StoredRequest>) =>
      !["open", "answered"].includes(getRequestState(value, now)) &&
      now - Math.max(at, value.endsAt) > SETTLED_MS;
    for (const entry of stored) if (isOld(entry)) await this.#requests.forget(entry.key);
    for (const { key, value } of await this.#grants.list())
      if (isOver(value, this.#link.clock.now())) await this.#grants.forget(key);
  }

  problem(): string | undefined {
    return this.#grants.problem() ?? this.#requests.problem();
  }

  /** Waiting requests remain for other processes. */
  async close(): Promise<void> {
    const left = [...this.#waiting.keys()];
    this.#waiting.clear();
    this.#stopListening();
    await Promise.allSettled(left.map((approvalId) => this.#sign(approvalId, false)));
  }

  async #findAnswered({ agentId, sessionKey, exactKey }: ApprovalScope & { exactKey: string }) {
    const stored = await this.#requests.list();
    const now = this.#link.clock.now();
    return stored
      .filter(({ value }) => getRequestState(value, now) === "answered" && !this.#isAttended(value, now))
      .map(({ value }) => value.request)
      .filter(
        (request) =>
          request.agentId === agentId && request.sessionKey === sessionKey && request.exactKey === exactKey,
      );
  }

  #isOurs(key: string, stored: StoredGrant): boolean {
    const isOurs = this.#seals.isAuthenticGrant(stored);
    if (!isOurs) this.#grants.note(key, "it has no seal of `sealKeyFile`");
    return isOurs;
  }

  #answerOf(stored: StoredRequest): ApprovalAnswer | undefined {
    try {
      return this.#seals.readAnswer(stored);
    } catch (thrown) {
      const { approvalId } = stored.request;
      const why = `${(thrown as Error).message}, or by a host with another \`sealKeyFile\``;
      this.#link.logger?.warn(`An answer to ${approvalId} was not used: ${why}.`);
      return undefined;
    }
  }

  async #change(
    approvalId: string,
    change: (stored: StoredRequest, state: ApprovalState) => StoredRequest | undefined,
  ): Promise<boolean> {
    const now = await this.#link.serverNow();
    return await this.#requests.change(idToken(approvalId), (stored) =>
      change(stored, getRequestState(stored, now)),
    );
  }

  #isAttended(stored: StoredRequest, now: number): boolean {
    return this.#waiting.has(stored.request.approvalId) || isAttended(stored, now);
  }

  #signAll(): void {
    this.#watch.again();
    for (const approvalId of this.#waiting.keys()) void this.#check(approvalId, true);
  }

  #deliver(): void {
    for (const approvalId of this.#waiting.keys()) void this.#check(approvalId, false);
  }

  async #check(approvalId: string, sign: boolean): Promise<void> {
    try {
      if (sign) await this.#sign(approvalId, true);
      const entry = await this.#requests.get(idToken(approvalId));
      if (entry?.value.state !== "answered") return;
      const answer = this.#answerOf(entry.value);
      const deliver = this.#waiting.get(approvalId);
      if (answer !== undefined && deliver !== undefined) {
        this.#delivered.add(approvalId);
        deliver(answer);
      } else if (answer === undefined)
        await this.#change(approvalId, (stored, now) =>
          now === "answered" && this.#answerOf(stored) === undefined ? reopenRequest(stored) : undefined,
        );
    } catch {
      // The next sign of life checks again.
    }
  }

  async #sign(approvalId: string, isThere: boolean): Promise<void> {
    const seenAt = isThere ? await this.#link.serverNow() : 0;
    const isThereNow = () => this.#waiting.has(approvalId) === isThere;
    await this.#requests.change(idToken(approvalId), (stored) =>
      (stored.state === "open" || stored.state === "answered") && isThereNow()
        ? { ...stored, seenAt }
        : undefined,
    );
  }

  #stopWaiting(approvalId: string): void {
    if (!this.#waiting.delete(approvalId)) return;
    // Releases an open request. After a delivered answer, the last sign of life reserves it briefly.
    if (!this.#delivered.delete(approvalId)) void this.#sign(approvalId, false).catch(() => {});
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
