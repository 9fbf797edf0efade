import type { Database } from "../database/database.ts";
import { getCallNumberRange } from "./numbers.ts";

const STEP = 2000;

/** Pre-filters calls with a plan, three times as fast as parsing JSON. */
const PLANNED = `more GLOB '*"plan":*'`;
const ARE_PLANNED = `SELECT 1 FROM calls WHERE number > ? AND number <= ? AND ${PLANNED} LIMIT 1`;
const SUBJECTS = `calls, json_each(calls.more, '$.plan.subjects.paths') AS subject
  WHERE number > ? AND number <= ? AND ${PLANNED} AND json_valid(more) AND typeof(subject.value ->> 'path') = 'text'`;
const ADD_TIMES = `INSERT OR IGNORE INTO timed (created, number, tool)
  SELECT created, number, tool FROM calls WHERE number > ? AND number <= ?`;
const ADD_PATHS = `INSERT OR IGNORE INTO paths (path) SELECT DISTINCT subject.value ->> 'path' FROM ${SUBJECTS}`;
const ADD_TOUCHED = `INSERT OR IGNORE INTO touched (path, number)
  SELECT paths.id, number FROM ${SUBJECTS.replace("WHERE", "JOIN paths ON paths.path = subject.value ->> 'path' WHERE")}`;

/**
 * Indexes times and paths of calls in the background: during a call, indexing would dominate its cost. Queries include unindexed calls.
 */
export class CallIndex {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  addActiveRuns(): void {
    const rows = this.#database.all("SELECT number FROM runs WHERE holder IS NOT NULL");
    for (const { number } of rows as { number: number }[]) this.add(number);
  }

  add(run: number): void {
    while (this.#isBehind(run)) this.#database.write(() => this.#step(run));
  }

  missing(): [first: number, last: number][] {
    const rows = this.#database.all("SELECT number, touched FROM runs WHERE holder IS NOT NULL");
    return (rows as { number: number; touched: number }[]).map(({ number, touched }) => {
      const [first, last] = getCallNumberRange(number);
      return [Math.max(first, touched + 1), last];
    });
  }

  remove(number: number): void {
    const sql =
      "DELETE FROM timed WHERE created = (SELECT created FROM calls WHERE number = ?) AND number = ?";
    this.#database.run(sql, number, number);
    this.#database.run("DELETE FROM touched WHERE number = ?", number);
  }

  #isBehind(run: number): boolean {
    const [first, last] = getCallNumberRange(run);
    const sql = `SELECT 1 FROM runs WHERE number = ? AND touched < (SELECT max(number) FROM calls WHERE number BETWEEN ? AND ?)`;
    return this.#database.get(sql, run, first, last) !== undefined;
  }

  #step(run: number): void {
    const [first, last] = getCallNumberRange(run);
    const sql = "SELECT max(touched, ?) AS done FROM runs WHERE number = ?";
    const { done } = this.#database.get(sql, first, run) as { done: number };
    const next = `SELECT max(number) AS until FROM
      (SELECT number FROM calls WHERE number > ? AND number <= ? ORDER BY number LIMIT ${STEP})`;
    const { until } = this.#database.get(next, done, last) as { until: number | null };
    if (until === null) return;
    this.#database.run(ADD_TIMES, done, until);
    if (this.#database.get(ARE_PLANNED, done, until) !== undefined) {
      this.#database.run(ADD_PATHS, done, until);
      this.#database.run(ADD_TOUCHED, done, until);
    }
    this.#database.run("UPDATE runs SET touched = ? WHERE number = ?", until, run);
  }
}
