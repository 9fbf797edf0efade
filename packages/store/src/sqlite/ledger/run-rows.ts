import type { RunHolder, RunOpening, RunRecord } from "@haft/core/internal";
import { readJson } from "../database/database-error.ts";
import type { Database } from "../database/database.ts";

export interface RunRow {
  readonly number: number;
  readonly record: RunRecord;
  readonly holder?: { readonly process: RunHolder; readonly renewed: number };
}

interface Columns {
  number: number;
  run_id: string;
  session_key: string;
  opening: string;
  opened_at: number;
  epoch: number;
  since: number | null;
  closed_at: number | null;
  process: string | null;
  renewed: number | null;
}

type Opening = Pick<RunOpening, "facts" | "workspace" | "mode" | "openedWith">;

const SELECT = "SELECT runs.*, process, renewed FROM runs LEFT JOIN holders ON holders.id = runs.holder";

export class RunRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  byId(runId: string): RunRow | undefined {
    return this.#all(`${SELECT} WHERE run_id = ?`, runId)[0];
  }

  byNumber(number: number): RunRow | undefined {
    return this.#all(`${SELECT} WHERE number = ?`, number)[0];
  }

  latest(agent: string, sessionKey: string): RunRow | undefined {
    const sql = `${SELECT} WHERE session_key = ? AND agent = ? ORDER BY number DESC LIMIT 1`;
    return this.#all(sql, sessionKey, agent)[0];
  }

  listByHolder(holder: number): RunRow[] {
    return this.#all(`${SELECT} WHERE runs.holder = ?`, holder);
  }

  page({ sessionKey, after, limit }: { sessionKey?: string; after?: string; limit: number }): RunRow[] {
    const conditions = [
      ...(sessionKey === undefined ? [] : ["session_key = ?"]),
      ...(after === undefined ? [] : ["run_id < ?"]),
    ];
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
    const values = [sessionKey, after, limit].filter((value) => value !== undefined);
    return this.#all(`${SELECT} ${where} ORDER BY run_id DESC LIMIT ?`, ...values);
  }

  listBySession(sessionKey: string): number[] {
    return this.#numbers("session_key = ?", sessionKey);
  }

  listActive(): number[] {
    return this.#numbers("holder IS NOT NULL");
  }

  listInactive(which: { runId: string } | { sessionKey: string } | { before: number }): number[] {
    if ("runId" in which) return this.#numbers("holder IS NULL AND run_id = ?", which.runId);
    if ("sessionKey" in which) return this.#numbers("holder IS NULL AND session_key = ?", which.sessionKey);
    return this.#numbers("holder IS NULL AND opened_at < ?", which.before);
  }

  add(runId: string, opening: RunOpening, holder: number, at: number): number {
    const { sessionKey, facts } = opening;
    const sql = `INSERT INTO runs (run_id, agent, session_key, opening, opened_at, epoch, holder, since)
      VALUES (?, ?, ?, ?, ?, 1, ?, ?) RETURNING number`;
    const row = this.#database.get(sql, runId, facts.agentId, sessionKey, textOf(opening), at, holder, at);
    return (row as { number: number }).number;
  }

  take(number: number, opening: Opening, holder: number, at: number): void {
    const sql = `UPDATE runs SET opening = ?, epoch = epoch + 1, holder = ?, since = ?, closed_at = NULL WHERE number = ?`;
    this.#database.run(sql, textOf(opening), holder, at, number);
  }

  isActive(number: number, epoch: number, holder: number): boolean {
    const sql = "SELECT 1 FROM runs WHERE number = ? AND epoch = ? AND holder = ?";
    return this.#database.get(sql, number, epoch, holder) !== undefined;
  }

  release(number: number, closedAt: number | null): void {
    const sql = "UPDATE runs SET holder = NULL, since = NULL, closed_at = ? WHERE number = ?";
    this.#database.run(sql, closedAt, number);
  }

  #numbers(condition: string, ...values: (string | number)[]): number[] {
    const rows = this.#database.all(`SELECT number FROM runs WHERE ${condition}`, ...values);
    return (rows as { number: number }[]).map(({ number }) => number);
  }

  #all(sql: string, ...values: (string | number)[]): RunRow[] {
    return (this.#database.all(sql, ...values) as Columns[]).map(rowOf);
  }
}

function textOf({ facts, workspace, mode, openedWith }: Opening): string {
  return JSON.stringify({ facts, workspace, mode, openedWith });
}

function rowOf(columns: Columns): RunRow {
  const { number, process, renewed, since, closed_at: closedAt } = columns;
  const holder =
    process === null || renewed === null ? undefined : { process: readJson(process) as RunHolder, renewed };
  const record: RunRecord = {
    runId: columns.run_id,
    sessionKey: columns.session_key,
    ...(readJson(columns.opening) as Opening),
    openedAt: columns.opened_at,
    epoch: columns.epoch,
    ...(holder && { heldBy: { ...holder.process, since: since ?? columns.opened_at } }),
    ...(closedAt !== null && { closedAt }),
  };
  return { number, record, ...(holder && { holder }) };
}
