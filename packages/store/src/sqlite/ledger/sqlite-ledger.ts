import {
  type CallQuery,
  type CallRecord,
  ledgerUnavailableError,
  type LedgerRun,
  type LedgerStore,
  getPageLimit,
  newRunId,
  type Page,
  type RunHolder,
  runNotFoundError,
  type RunOpening,
  type RunRecord,
  sessionHeldError,
} from "@haft/core/internal";
import { attempt } from "@haft/system";
import { setTimeout as sleep } from "node:timers/promises";
import type { RetentionLimits } from "../../defaults.ts";
import { readJson } from "../database/database-error.ts";
import type { Database } from "../database/database.ts";
import { ActiveRuns } from "./active-runs.ts";
import { CallIndex } from "./call-index.ts";
import { CallQueries, type CallQueryRow } from "./call-queries.ts";
import { CallRows } from "./call-rows.ts";
import { getLeaseEndReason } from "./holder.ts";
import { SqliteRetention } from "./retention.ts";
import { type RunRow, RunRows } from "./run-rows.ts";
import { LedgerSettlement } from "./settlement.ts";
import { type RunParts, SqliteRun } from "./sqlite-run.ts";
import { ToolRows } from "./tool-rows.ts";

/** Milliseconds between two checks of an awaited lease. */
const CHECK_MS = 200;

export class SqliteLedger implements LedgerStore {
  readonly #database: Database;
  readonly #parts: RunParts;
  readonly #queries: CallQueries;
  readonly #retention: SqliteRetention;
  readonly #runs = new Set<SqliteRun>();
  readonly #others: () => void;
  #closed = false;

  constructor(database: Database, keep: RetentionLimits, others: () => void = () => {}) {
    this.#database = database;
    this.#others = others;
    const calls = new CallRows(database, new ToolRows(database));
    const runs = new RunRows(database);
    const notes = new CallIndex(database);
    const settlement = new LedgerSettlement(database, calls);
    const held = new ActiveRuns(database, () => this.#beside());
    this.#parts = { database, calls, runs, callIndex: notes, settlement, activeRuns: held };
    this.#queries = new CallQueries(this.#parts);
    this.#retention = new SqliteRetention(database, notes, keep);
  }

  /** Settles calls of dead processes when the file is opened, in a transaction. */
  settleDead(): void {
    const { runs } = this.#parts;
    const rows = this.#database.all("SELECT id, process, renewed FROM holders");
    for (const { id, process, renewed } of rows as { id: number; process: string; renewed: number }[]) {
      if (getLeaseEndReason(readJson(process) as RunHolder, renewed) !== "dead") continue;
      for (const run of runs.listByHolder(id)) {
        this.#settle(run);
        runs.release(run.number, null);
      }
      this.#database.run("DELETE FROM holders WHERE id = ?", id);
    }
  }

  hasCall(number: number): boolean {
    return this.#database.get("SELECT 1 FROM calls WHERE number = ?", number) !== undefined;
  }

  async open(opening: RunOpening): Promise<LedgerRun> {
    for (;;) {
      opening.signal?.throwIfAborted();
      if (this.#closed) throw ledgerUnavailableError("its store was closed");
      const holder = this.#parts.activeRuns.holder();
      const opened = this.#database.write(() => this.#tryOpen(opening, holder));
      if (!("heldBy" in opened)) return this.#hold(opened.number, holder);
      if (opening.takeOver !== true) throw sessionHeldError(opened.heldBy);
      const { signal } = opening;
      await sleep(CHECK_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {});
    }
  }

  async runs(query: { sessionKey?: string; limit?: number; after?: string } = {}): Promise<Page<RunRecord>> {
    const limit = getPageLimit(query.limit);
    const found = this.#parts.runs.page({ ...query, limit: limit + 1 }).map(({ record }) => record);
    const items = found.slice(0, limit);
    return { items, ...(found.length > limit && { next: items.at(-1)!.runId }) };
  }

  async calls(query: CallQuery): Promise<Page<CallQueryRow>> {
    return this.#queries.page(query);
  }

  async run(runId: string): Promise<RunRecord | undefined> {
    return this.#parts.runs.byId(runId)?.record;
  }

  async call(runId: string, toolCallId: string): Promise<CallRecord | undefined> {
    const run = this.#parts.runs.byId(runId);
    return run === undefined ? undefined : this.#parts.calls.find(run.number, toolCallId);
  }

  async forget(which: Parameters<LedgerStore["forget"]>[0]): Promise<number> {
    return this.#retention.forget(() => this.#parts.runs.listInactive(which));
  }

  async close(): Promise<void> {
    this.#closed = true;
    // The holder got the error. The next opening finds an abandoned run.
    for (const run of this.#runs) await run.close().catch(() => {});
    this.#runs.clear();
    attempt(() => this.#parts.activeRuns.release());
  }

  /** Needs a transaction. */
  #tryOpen(opening: RunOpening, holder: number): { number: number } | { heldBy: RunRecord } {
    const { runs } = this.#parts;
    const at = Date.now();
    const wanted = this.#wanted(opening);
    if (wanted === undefined) {
      const { runId: named } = opening;
      const runId = named === undefined || runs.byId(named) !== undefined ? newRunId() : named;
      return { number: runs.add(runId, opening, holder, at) };
    }
    if (wanted.holder !== undefined) {
      const { process, renewed } = wanted.holder;
      if (getLeaseEndReason(process, renewed) === undefined) return { heldBy: wanted.record };
      this.#settle(wanted);
    }
    runs.take(wanted.number, opening, holder, at);
    return { number: wanted.number };
  }

  #wanted({ resume, sessionKey, facts }: RunOpening): RunRow | undefined {
    if (resume === undefined) return undefined;
    const { runs } = this.#parts;
    if (resume === true) return runs.latest(facts.agentId, sessionKey);
    const named = runs.byId(resume);
    const isMatching =
      named?.record.sessionKey === sessionKey && named.record.facts.agentId === facts.agentId;
    if (!isMatching) throw runNotFoundError(resume, sessionKey);
    return named;
  }

  #hold(number: number, holder: number): SqliteRun {
    const { record } = this.#parts.runs.byNumber(number)!;
    const past = record.epoch === 1 ? [] : this.#parts.calls.past(number);
    const run = new SqliteRun(this.#parts, { number, holder, record, past });
    this.#runs.add(run);
    run.lease.lost.addEventListener("abort", () => this.#runs.delete(run), { once: true });
    return run;
  }

  #settle({ number, record }: RunRow): void {
    this.#parts.settlement.settle(number, record.epoch, { at: Date.now(), abandoned: true });
    this.#parts.callIndex.add(number);
  }

  #beside(): void {
    this.#retention.step();
    this.#others();
    this.#database.checkpoint();
  }
}
