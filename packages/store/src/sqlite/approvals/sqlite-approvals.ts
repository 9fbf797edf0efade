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
import { getCurrentOwner } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import { randomBytes } from "node:crypto";
import { redactRequest } from "../../approvals/request-text.ts";
import { sealAnswer } from "../../approvals/sealed-answer.ts";
import { ANSWER_MS, SETTLED_MS } from "../../defaults.ts";
import { idTakenError } from "../../errors.ts";
import type { Database } from "../database/database.ts";
import { BrokenRows } from "./broken-rows.ts";
import { ChangeNotifier } from "./change-notifier.ts";
import {
  isRowAttended,
  isUnsettled,
  Requests,
  type Row,
  getRowState,
  type AnswerSelector,
} from "./requests.ts";

/** The informed process has this time to take an answer first. */
const TAKEN_MS = 5_000;

const HOLDS = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)";

interface GrantRow {
  id: string;
  record: string;
  used: number;
  last_used_at: number | null;
}

type Found = { state: ApprovalState; request: ApprovalRequestRecord };
type Taken = { approvalId: string; answer: ApprovalAnswer };

/** Stores approvals in SQLite: any process can answer requests of another, even dead process. An answer is used once. */
export class SqliteApprovals implements ApprovalStore {
  readonly #database: Database;
  readonly #requests: Requests;
  readonly #broken: BrokenRows;
  readonly #notifier: ChangeNotifier;
  readonly #waiting = new Map<string, (answer: ApprovalAnswer) => void>();
  readonly #delivered = new Set<string>();
  #unlisten: (() => void) | undefined;
  #closed = false;
  #self: string | undefined;

  constructor(database: Database, warn: (message: string) => void = () => {}) {
    this.#database = database;
    this.#broken = new BrokenRows(database.path, warn);
    this.#requests = new Requests(database, this.#broken);
    this.#notifier = new ChangeNotifier(`${database.path}-approvals`);
  }

  async grants(scope: ApprovalScope): Promise<readonly ApprovalGrant[]> {
    const { agentId, sessionKey } = scope;
    return this.#grants(scope, "agent = ? AND session_key = ? AND", agentId, sessionKey);
  }

  async allGrants(): Promise<readonly ApprovalGrant[]> {
    return this.#grants(undefined, "");
  }

  /** Counts uses in the row, for concurrent processes. */
  async addGrant(grant: ApprovalGrant): Promise<void> {
    requireId(grant.id);
    const { used, lastUsedAt, ...record } = grant;
    const added = this.#database.run(
      `INSERT INTO grants (id, agent, session_key, record, created_at, expires_at, used, last_used_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
      grant.id,
      grant.agentId,
      grant.sessionKey,
      JSON.stringify({ ...record, summary: redactSecrets(grant.summary) }),
      Math.round(grant.createdAt),
      grant.expiresAt === undefined ? null : Math.round(grant.expiresAt),
      used,
      lastUsedAt === undefined ? null : Math.round(lastUsedAt),
    );
    if (added === 0) throw idTakenError(grant.id);
  }

  async useGrant(id: string): Promise<boolean> {
    const now = Date.now();
    const count = `UPDATE grants SET used = used + 1, last_used_at = ? WHERE id = ? AND ${HOLDS}`;
    return this.#database.run(count, now, id, now) > 0;
  }

  async revoke(id: string): Promise<boolean> {
    const now = Date.now();
    const revoke = `UPDATE grants SET revoked_at = ?, record = '{}' WHERE id = ? AND ${HOLDS}`;
    return this.#database.run(revoke, now, id, now) > 0;
  }

  async addRequest(request: ApprovalRequestRecord): Promise<void> {
    requireId(request.approvalId);
    const added = this.#database.write(() => {
      this.#requests.expire();
      return this.#database.run(
        `INSERT INTO requests (id, agent, session_key, exact_key, record, secret, state, asked_at, expires_at, asker)
         VALUES (?, ?, ?, ?, ?, ?, 'open', ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
        request.approvalId,
        request.agentId,
        request.sessionKey,
        request.exactKey ?? null,
        JSON.stringify(redactRequest(request)),
        randomBytes(16).toString("hex"),
        Math.round(request.requestedAt),
        Math.round(request.expiresAt),
        // The wait may have begun before the request was stored.
        this.#waiting.has(request.approvalId) ? this.#asker() : null,
      );
    });
    if (added === 0) throw idTakenError(request.approvalId);
    this.#notifier.notify();
  }

  async removeRequest(
    approvalId: string,
    why: "decided" | "expired" | "withdrawn" = "withdrawn",
  ): Promise<void> {
    this.#stopWaiting(approvalId);
    const removed = this.#database.write(() => {
      const row = this.#requests.row(approvalId);
      if (row === undefined || !isUnsettled(row)) return false;
      this.#requests.settle(row, getRowState(row) === "expired" ? "expired" : why);
      return true;
    });
    if (removed) this.#notifier.notify();
  }

  async requests(): Promise<readonly ApprovalRequestRecord[]> {
    const rows = this.#database.all(
      "SELECT * FROM requests WHERE state = 'open' AND expires_at > ? ORDER BY asked_at, rowid",
      Date.now(),
    ) as Row[];
    return rows.flatMap((row) => this.#requests.read(row) ?? []);
  }

  async find(approvalId: string): Promise<Found | undefined> {
    const row = this.#requests.row(approvalId);
    const request = row && this.#requests.read(row);
    return row && request && { state: getRowState(row), request };
  }

  async answer(approvalId: string, given: ApprovalAnswer): Promise<void> {
    const answer = requireAnswer(given);
    this.#database.write(() => {
      const row = this.#requests.row(approvalId);
      const request = row && this.#requests.read(row);
      const state = row && getRowState(row);
      if (row === undefined || request === undefined || state !== "open")
        throw approvalNotFoundError(approvalId, state ?? "unknown");
      requireOffer(request, answer);
      this.#database.run(
        "UPDATE requests SET state = 'answered', answer = ?, expires_at = ? WHERE id = ?",
        sealAnswer(answer, row),
        Date.now() + ANSWER_MS,
        approvalId,
      );
    });
    this.#notifier.notify();
    this.#deliver();
  }

  waitForAnswer(approvalId: string, signal: AbortSignal): Promise<ApprovalAnswer> {
    return new Promise((resolve, reject) => {
      if (signal.aborted || this.#closed) return;
      this.#waiting.set(approvalId, resolve);
      signal.addEventListener("abort", () => this.#stopWaiting(approvalId), { once: true });
      this.#unlisten ??= this.#notifier.listen(() => this.#deliver());
      try {
        const setAsker = "UPDATE requests SET asker = ? WHERE id = ? AND state IN ('open', 'answered')";
        this.#database.run(setAsker, this.#asker(), approvalId);
      } catch (thrown) {
        reject(thrown);
      }
      this.#deliver();
    });
  }

  async takeAnswer(which: AnswerSelector): Promise<Taken | undefined> {
    const taken = this.#database.write(() => {
      for (const row of this.#requests.answeredRows(which)) {
        const answer = this.#requests.readAnswerOrReopen(row);
        if (answer === undefined) continue;
        this.#requests.settle(row, "decided", 1);
        return { approvalId: row.id, answer };
      }
      return undefined;
    });
    if (taken !== undefined) this.#notifier.notify();
    return taken;
  }

  async peekAnswer(which: AnswerSelector): Promise<Taken | undefined> {
    for (const row of this.#requests.answeredRows(which)) {
      const answer = this.#requests.peekAnswer(row);
      if (answer !== undefined) return { approvalId: row.id, answer };
    }
    return undefined;
  }

  async awaitDelivery(approvalId: string, withinMs: number): Promise<boolean> {
    const end = Date.now() + withinMs;
    let changed = Promise.withResolvers<void>();
    const unlisten = this.#notifier.listen(() => changed.resolve());
    try {
      for (;;) {
        const row = this.#requests.row(approvalId);
        if (row === undefined || row.state !== "answered") return row?.taken === 1;
        const left = end - Date.now();
        if (left <= 0 || isRowAttended(row) === false) return false;
        const timer = setTimeout(() => changed.resolve(), left);
        await changed.promise;
        clearTimeout(timer);
        changed = Promise.withResolvers<void>();
      }
    } finally {
      unlisten();
    }
  }

  watchRequests(onChange: () => void): () => void {
    return this.#notifier.listen(onChange);
  }

  problem(): string | undefined {
    return this.#broken.summary();
  }

  expire(): void {
    if (this.#requests.hasExpired()) this.#database.write(() => this.#requests.expire());
  }

  async sweep(): Promise<void> {
    const before = Date.now() - SETTLED_MS;
    this.#database.write(() => {
      this.#requests.expire();
      this.#database.run("DELETE FROM requests WHERE settled_at < ?", before);
      this.#database.run("DELETE FROM grants WHERE revoked_at < ? OR expires_at < ?", before, before);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const approvalId of this.#waiting.keys()) this.#stopWaiting(approvalId);
    for (const approvalId of this.#delivered) this.#leave(approvalId);
  }

  #grants(scope: ApprovalScope | undefined, where: string, ...values: string[]): ApprovalGrant[] {
    const sql = `SELECT id, record, used, last_used_at FROM grants WHERE ${where} ${HOLDS} ORDER BY created_at, rowid`;
    const rows = this.#database.all(sql, ...values, Date.now()) as GrantRow[];
    return rows.flatMap((row) => this.#broken.readRow("grant", row.id, () => readGrant(row, scope)) ?? []);
  }

  #asker(): string {
    return (this.#self ??= JSON.stringify(getCurrentOwner()));
  }

  /** Reports answers to waiting calls, which then claim them. */
  #deliver(): void {
    for (const [approvalId, deliver] of this.#waiting) {
      try {
        const row = this.#requests.row(approvalId);
        const answer =
          row?.state === "answered"
            ? this.#database.write(() => this.#requests.readAnswerOrReopen(row))
            : undefined;
        if (answer === undefined) continue;
        this.#delivered.add(approvalId);
        deliver(answer);
      } catch {
        // A later check may succeed.
      }
    }
  }

  #stopWaiting(approvalId: string): void {
    if (!this.#waiting.delete(approvalId)) return;
    if (this.#waiting.size === 0) {
      this.#unlisten?.();
      this.#unlisten = undefined;
    }
    if (this.#delivered.has(approvalId)) setTimeout(() => this.#leave(approvalId), TAKEN_MS).unref();
    else this.#leave(approvalId);
  }

  #leave(approvalId: string): void {
    if (this.#waiting.has(approvalId)) return;
    this.#delivered.delete(approvalId);
    try {
      const leave = "UPDATE requests SET asker = NULL WHERE id = ? AND asker = ?";
      this.#database.run(leave, approvalId, this.#asker());
    } catch {
      // The request counts as attended until this process ends.
    }
  }
}

const ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

function requireId(id: string): void {
  if (typeof id !== "string" || !ID.test(id)) throw idTakenError(id);
}

function readGrant({ id, record, used, last_used_at }: GrantRow, scope?: ApprovalScope): ApprovalGrant {
  const grant = JSON.parse(record) as ApprovalGrant;
  if (grant.id !== id || typeof grant.key !== "string" || typeof grant.toolId !== "string")
    throw new Error("it is not a grant");
  if (scope !== undefined && (grant.agentId !== scope.agentId || grant.sessionKey !== scope.sessionKey))
    throw new Error("it belongs to another agent or session");
  return withoutUndefined<ApprovalGrant>({ ...grant, used, lastUsedAt: last_used_at ?? undefined });
}
