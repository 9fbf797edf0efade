import { setImmediate as turn } from "node:timers/promises";
import { DAY_MS, type RetentionLimits } from "../../defaults.ts";
import type { Database } from "../database/database.ts";
import type { CallIndex } from "./call-index.ts";
import { OPEN_KINDS } from "./kinds.ts";
import { getCallNumberRange, getRunNumber } from "./numbers.ts";

/** A transaction takes a few milliseconds. */
const STEP = 200;
const PAGES = 500;
/** These are never removed. */
const OPEN = OPEN_KINDS.join(", ");

export class SqliteRetention {
  readonly #database: Database;
  readonly #notes: CallIndex;
  readonly #keep: RetentionLimits;

  constructor(database: Database, notes: CallIndex, keep: RetentionLimits) {
    this.#database = database;
    this.#notes = notes;
    this.#keep = keep;
  }

  /** Returns false if there was nothing to do. */
  step(): boolean {
    this.#notes.addActiveRuns();
    const before = Date.now() - this.#keep.days * DAY_MS;
    const removed = this.#database.write(() => this.#removeCalls(this.#oldest(before)));
    const emptied = removed === 0 ? this.#database.write(() => this.#removeRuns(before)) : 0;
    const shrunk = this.#shrink();
    return removed > 0 || emptied > 0 || shrunk;
  }

  /**
   * Removes runs with their calls, in steps. Returns the number of calls.
   *
   * @param free selects runs without a holder, in each step
   */
  async forget(free: () => number[]): Promise<number> {
    let forgotten = 0;
    for (let removed = -1; removed !== 0;) {
      removed = this.#database.write(() => this.#forgetStep(free()));
      forgotten += removed;
      await turn();
    }
    while (this.#shrink()) await turn();
    return forgotten;
  }

  #forgetStep(runs: number[]): number {
    for (const run of runs) {
      const sql = `SELECT number FROM calls WHERE number BETWEEN ? AND ? AND kind NOT IN (${OPEN}) LIMIT ${STEP}`;
      const found = this.#database.all(sql, ...getCallNumberRange(run)) as { number: number }[];
      if (found.length > 0) return this.#removeCalls(found.map(({ number }) => number));
      this.#removeIfEmpty(run);
    }
    return 0;
  }

  #oldest(before: number): number[] {
    const limit = this.#isTooLarge() ? Number.MAX_SAFE_INTEGER : before;
    const sql = `SELECT timed.number FROM timed CROSS JOIN calls NOT INDEXED ON calls.number = timed.number
      WHERE timed.created < ? AND kind NOT IN (${OPEN}) ORDER BY timed.created LIMIT ${STEP}`;
    const found = this.#database.all(sql, limit) as { number: number }[];
    return found.map(({ number }) => number).filter((number) => !this.#isLastOfHeld(number));
  }

  /** A held run continues from its last call. */
  #isLastOfHeld(number: number): boolean {
    const run = getRunNumber(number);
    const sql = `SELECT 1 FROM runs WHERE number = ? AND holder IS NOT NULL
      AND ? = (SELECT max(number) FROM calls WHERE number BETWEEN ? AND ?)`;
    return this.#database.get(sql, run, number, ...getCallNumberRange(run)) !== undefined;
  }

  #removeCalls(numbers: readonly number[]): number {
    for (const number of numbers) {
      this.#notes.remove(number);
      this.#database.run("DELETE FROM calls WHERE number = ?", number);
      const sql = "UPDATE runs SET trimmed = max(trimmed, ?) WHERE number = ?";
      this.#database.run(sql, number, getRunNumber(number));
    }
    return numbers.length;
  }

  #removeRuns(before: number): number {
    const sql = `SELECT number FROM runs WHERE holder IS NULL AND opened_at < ? AND NOT EXISTS
      (SELECT 1 FROM calls WHERE calls.number BETWEEN runs.number * ? AND runs.number * ? + ?) LIMIT ${STEP}`;
    const [span] = getCallNumberRange(1);
    const rows = this.#database.all(sql, before, span, span, span - 1) as { number: number }[];
    return rows.filter(({ number }) => this.#removeIfEmpty(number)).length;
  }

  #removeIfEmpty(run: number): boolean {
    const sql = "SELECT 1 FROM calls WHERE number BETWEEN ? AND ? LIMIT 1";
    if (this.#database.get(sql, ...getCallNumberRange(run)) !== undefined) return false;
    return this.#database.run("DELETE FROM runs WHERE number = ? AND holder IS NULL", run) === 1;
  }

  #isTooLarge(): boolean {
    return (
      (this.#pragma("page_count") - this.#pragma("freelist_count")) * this.#pragma("page_size") >
      this.#keep.bytes
    );
  }

  #shrink(): boolean {
    if (this.#pragma("freelist_count") === 0) return false;
    this.#database.exec(`PRAGMA incremental_vacuum(${PAGES})`);
    return true;
  }

  #pragma(name: string): number {
    return Number(Object.values(this.#database.get(`PRAGMA ${name}`) as object)[0]);
  }
}
