import type { Database } from "../database/database.ts";
import { numbersOf } from "./numbers.ts";

/** Calls that are looked at in one transaction. */
const STEP = 2000;

const SUBJECTS = `calls, json_each(calls.more, '$.plan.subjects.paths') AS subject
  WHERE number > ? AND number <= ? AND json_valid(more) AND typeof(subject.value ->> 'path') = 'text'`;
const ADD_PATHS = `INSERT OR IGNORE INTO paths (path) SELECT DISTINCT subject.value ->> 'path' FROM ${SUBJECTS}`;
const ADD_TOUCHED = `INSERT OR IGNORE INTO touched (path, number)
  SELECT paths.id, number FROM ${SUBJECTS.replace("WHERE", "JOIN paths ON paths.path = subject.value ->> 'path' WHERE")}`;

/**
 * Which calls name which path. Noted beside the work, because it would cost each call more than all the rest; whoever
 * asks by path notes first what is missing.
 */
export class PathIndex {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Of all runs that somebody has; those of others are complete. */
  addHeld(): void {
    const rows = this.#database.all("SELECT number FROM runs WHERE holder IS NOT NULL");
    for (const { number } of rows as { number: number }[]) this.add(number);
  }

  /** Of one run. */
  add(run: number): void {
    while (this.#isBehind(run)) this.#database.write(() => this.#step(run));
  }

  /** Removes what is said of a call. In a transaction. */
  remove(number: number): void {
    this.#database.run("DELETE FROM touched WHERE number = ?", number);
  }

  #isBehind(run: number): boolean {
    const [first, last] = numbersOf(run);
    const sql = `SELECT 1 FROM runs WHERE number = ? AND touched < (SELECT max(number) FROM calls WHERE number BETWEEN ? AND ?)`;
    return this.#database.get(sql, run, first, last) !== undefined;
  }

  #step(run: number): void {
    const [first, last] = numbersOf(run);
    const sql = "SELECT max(touched, ?) AS done FROM runs WHERE number = ?";
    const { done } = this.#database.get(sql, first, run) as { done: number };
    const next = `SELECT max(number) AS until FROM
      (SELECT number FROM calls WHERE number > ? AND number <= ? ORDER BY number LIMIT ${STEP})`;
    const { until } = this.#database.get(next, done, last) as { until: number | null };
    if (until === null) return;
    this.#database.run(ADD_PATHS, done, until);
    this.#database.run(ADD_TOUCHED, done, until);
    this.#database.run("UPDATE runs SET touched = ? WHERE number = ?", until, run);
  }
}
