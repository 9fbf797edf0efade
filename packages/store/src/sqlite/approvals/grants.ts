import { withoutUndefined } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import type { ApprovalGrant, ApprovalScope } from "@haft/core/kernel";
import { idTaken } from "../../errors.ts";
import type { Database } from "../database/database.ts";
import type { BrokenRows } from "./broken-rows.ts";

interface Row {
  id: string;
  record: string;
  used: number;
  last_used_at: number | null;
}

const HOLDS = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)";

/** What was allowed for more than one call. Uses are counted in their row, so that none is lost. */
export class Grants {
  readonly #database: Database;
  readonly #broken: BrokenRows;

  constructor(database: Database, broken: BrokenRows) {
    this.#database = database;
    this.#broken = broken;
  }

  all(scope?: ApprovalScope): ApprovalGrant[] {
    const columns = "SELECT id, record, used, last_used_at FROM grants";
    const found =
      scope === undefined
        ? this.#database.all(`${columns} WHERE ${HOLDS} ORDER BY created_at, rowid`, Date.now())
        : this.#database.all(
            `${columns} WHERE agent = ? AND session_key = ? AND ${HOLDS} ORDER BY created_at, rowid`,
            scope.agentId,
            scope.sessionKey,
            Date.now(),
          );
    return (found as Row[]).flatMap((row) => this.#read(row, scope) ?? []);
  }

  add(grant: ApprovalGrant): void {
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
    if (added === 0) throw idTaken(grant.id);
  }

  use(id: string): boolean {
    const now = Date.now();
    const count = `UPDATE grants SET used = used + 1, last_used_at = ? WHERE id = ? AND ${HOLDS}`;
    return this.#database.run(count, now, id, now) > 0;
  }

  revoke(id: string): boolean {
    const now = Date.now();
    const revoke = `UPDATE grants SET revoked_at = ?, record = '{}' WHERE id = ? AND ${HOLDS}`;
    return this.#database.run(revoke, now, id, now) > 0;
  }

  /** Those that have been over since then leave their id as well. */
  forget(before: number): void {
    this.#database.run("DELETE FROM grants WHERE revoked_at < ? OR expires_at < ?", before, before);
  }

  #read({ id, record, used, last_used_at }: Row, scope?: ApprovalScope): ApprovalGrant | undefined {
    return this.#broken.reading("grant", id, () => {
      const grant = JSON.parse(record) as ApprovalGrant;
      if (grant.id !== id || typeof grant.key !== "string" || typeof grant.toolId !== "string")
        throw new Error("it is no grant");
      if (scope !== undefined && (grant.agentId !== scope.agentId || grant.sessionKey !== scope.sessionKey))
        throw new Error("it is somebody else's");
      return withoutUndefined<ApprovalGrant>({ ...grant, used, lastUsedAt: last_used_at ?? undefined });
    });
  }
}
