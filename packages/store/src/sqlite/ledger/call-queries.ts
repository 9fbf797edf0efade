import { invalidOptions } from "@haft/core";
import {
  type CallQuery,
  type CallRecord,
  getPageLimit,
  type Page,
  requireRunForRange,
} from "@haft/core/internal";
import type { Database } from "../database/database.ts";
import type { CallIndex } from "./call-index.ts";
import type { CallRows } from "./call-rows.ts";
import { listKinds, EXCEPTIONAL_KINDS_SQL, selectTimeIndex } from "./kinds.ts";
import { getCallNumberRange, getRunNumber, runNumberSql } from "./numbers.ts";
import type { RunRows } from "./run-rows.ts";

export type CallQueryRow = CallRecord & { readonly runId: string; readonly sessionKey: string };

type Value = string | number;
type Condition = readonly [sql: string, ...values: Value[]];

/** Up to this number of calls, a scan is fast. */
const FEW = 10_000;

const BY_TIME = "timed CROSS JOIN calls NOT INDEXED ON calls.number = timed.number";
const ODD_BY_TIME = "calls INDEXED BY odd_by_time";
const OF_RUNS = `json_each(?) AS run CROSS JOIN calls NOT INDEXED
  ON calls.number BETWEEN run.value ->> 0 AND run.value ->> 1`;
const BELOW = "(paths.path = ? OR (paths.path >= ? AND paths.path < ?))";
const TOUCHED = `SELECT touched.number FROM paths JOIN touched ON touched.path = paths.id WHERE ${BELOW}`;
const NAMED = `(SELECT DISTINCT number FROM (${TOUCHED})) AS named
  CROSS JOIN calls NOT INDEXED ON calls.number = named.number`;

interface Source {
  readonly of: "calls" | "timed";
  readonly from: string;
  readonly values: readonly Value[];
  readonly where: string;
  readonly isNamed?: true;
}

/** Finds row numbers by indexes alone, then reads the rows of a page. */
export class CallQueries {
  readonly #database: Database;
  readonly #runs: RunRows;
  readonly #calls: CallRows;
  readonly #callIndex: CallIndex;

  constructor(parts: { database: Database; runs: RunRows; calls: CallRows; callIndex: CallIndex }) {
    this.#database = parts.database;
    this.#runs = parts.runs;
    this.#calls = parts.calls;
    this.#callIndex = parts.callIndex;
  }

  page(query: CallQuery): Page<CallQueryRow> {
    const limit = getPageLimit(query.limit);
    requireRunForRange(query);
    const runs = this.#runsOf(query);
    if (runs?.length === 0) return { items: [] };
    if (query.path !== undefined) this.#callIndex.addActiveRuns();
    const found = this.#find({ ...query, limit: limit + 1 }, runs);
    const last = found.length > limit ? found[limit - 1] : undefined;
    return {
      items: found.slice(0, limit).flatMap(({ number }) => this.#found(number)),
      ...(last && { next: JSON.stringify([last.created, last.number]) }),
    };
  }

  #find(query: LimitedQuery, runs: number[] | undefined): Position[] {
    const source = this.#source(query, runs);
    if (source.of === "calls") return this.#findIn(source, query, runs);
    // Concurrent indexing may cause a duplicate, not a gap.
    const missing = ofRuns(this.#callIndex.missing());
    const both = [missing, source].flatMap((each) => this.#findIn(each, query, runs));
    const positions = [...new Map(both.map((position) => [position.number, position])).values()];
    const sign = query.order === "oldest" ? 1 : -1;
    return positions
      .toSorted((a, b) => sign * (a.created - b.created || a.number - b.number))
      .slice(0, query.limit);
  }

  #findIn(source: Source, query: LimitedQuery, runs: number[] | undefined): Position[] {
    const { of } = source;
    const conditions = [
      ...conditionsOf(query, runs, of),
      ...(source.isNamed ? [] : pathConditions(query, of)),
    ];
    const direction = query.order === "oldest" ? "ASC" : "DESC";
    const sql = `SELECT ${of}.number AS number, ${of}.created AS created FROM ${source.from}
      WHERE ${[source.where, ...conditions.map(([text]) => text)].join(" AND ")}
      ORDER BY ${of}.created ${direction}, ${of}.number ${direction} LIMIT ?`;
    const values = conditions.flatMap(([, ...each]) => each);
    return this.#database.all(sql, ...source.values, ...values, query.limit) as Position[];
  }

  #found(number: number): CallQueryRow[] {
    const call = this.#calls.at(number);
    const run = this.#runs.byNumber(getRunNumber(number));
    if (call === undefined || run === undefined) return [];
    return [{ ...call, runId: run.record.runId, sessionKey: run.record.sessionKey }];
  }

  #runsOf({ runId, sessionKey }: CallQuery): number[] | undefined {
    if (runId === undefined)
      return sessionKey === undefined ? undefined : this.#runs.listBySession(sessionKey);
    const run = this.#runs.byId(runId);
    const fits = run !== undefined && (sessionKey ?? run.record.sessionKey) === run.record.sessionKey;
    return fits ? [run.number] : [];
  }

  #source(query: CallQuery, runs: number[] | undefined): Source {
    const odd =
      query.status === undefined && query.outcome === undefined ? "any" : selectTimeIndex(kindsOf(query));
    if (query.path !== undefined) {
      const below = valuesBelow(query.path);
      if (this.#isFew(TOUCHED, ...below))
        return { of: "calls", from: NAMED, values: below, where: "true", isNamed: true };
    }
    // Executing calls belong to held runs.
    const looked =
      odd === "running" ? this.#runs.listActive().filter((run) => runs?.includes(run) ?? true) : runs;
    if (looked !== undefined) {
      const few = ofRuns(looked.map((run) => getCallNumberRange(run, query.seqRange)));
      if (odd === "running" || this.#isFew(`SELECT 1 FROM ${OF_RUNS}`, ...few.values)) return few;
    }
    return odd === "odd"
      ? { of: "calls", from: ODD_BY_TIME, values: [], where: EXCEPTIONAL_KINDS_SQL }
      : { of: "timed", from: BY_TIME, values: [], where: "true" };
  }

  #isFew(sql: string, ...values: Value[]): boolean {
    const row = this.#database.get(`SELECT count(*) AS count FROM (${sql} LIMIT ${FEW + 1})`, ...values);
    return (row as { count: number }).count <= FEW;
  }
}

function ofRuns(ranges: readonly (readonly [first: number, last: number])[]): Source {
  return { of: "calls", from: OF_RUNS, values: [JSON.stringify(ranges)], where: "true" };
}

type LimitedQuery = CallQuery & { readonly limit: number };

interface Position {
  number: number;
  created: number;
}

function conditionsOf(query: CallQuery, runs: number[] | undefined, of: Source["of"]): Condition[] {
  const { since, until, toolName, status, outcome, after, seqRange } = query;
  const conditions: Condition[] = [];
  if (since !== undefined) conditions.push([`${of}.created >= ?`, since]);
  if (until !== undefined) conditions.push([`${of}.created < ?`, until]);
  if (after !== undefined) {
    const { created, number } = readPosition(after);
    const side = query.order === "oldest" ? ">" : "<";
    conditions.push([`${of}.created ${side}= ?`, created]);
    conditions.push([`(${of}.created, ${of}.number) ${side} (?, ?)`, created, number]);
  }
  if (toolName !== undefined)
    conditions.push([`${of}.tool IN (SELECT id FROM tools WHERE name = ?)`, toolName]);
  if (status !== undefined || outcome !== undefined)
    conditions.push(["kind IN (SELECT value FROM json_each(?))", JSON.stringify(kindsOf(query))]);
  if (runs !== undefined) {
    const [one] = runs;
    if (runs.length === 1)
      conditions.push([`${of}.number BETWEEN ? AND ?`, ...getCallNumberRange(one!, seqRange)]);
    else {
      const sql = `${runNumberSql(`${of}.number`)} IN (SELECT value FROM json_each(?))`;
      conditions.push([sql, JSON.stringify(runs)]);
    }
  }
  return conditions;
}

function kindsOf({ status, outcome }: CallQuery): number[] {
  return listKinds({ ...(status && { status }), ...(outcome && { outcome }) });
}

function pathConditions({ path }: CallQuery, of: Source["of"]): Condition[] {
  if (path === undefined) return [];
  const sql = `EXISTS (SELECT 1 FROM touched JOIN paths ON paths.id = touched.path WHERE touched.number = ${of}.number AND ${BELOW})`;
  return [[sql, ...valuesBelow(path)]];
}

function valuesBelow(path: string): [path: string, first: string, beyond: string] {
  const bare = path.replace(/\/+$/, "");
  return [bare === "" ? "/" : bare, `${bare}/`, `${bare}0`];
}

function readPosition(after: string): Position {
  try {
    const [created, number] = JSON.parse(after) as unknown[];
    if (typeof created === "number" && typeof number === "number") return { created, number };
  } catch {
    // Reported below.
  }
  throw invalidOptions(`after is not the end of a page: ${JSON.stringify(after.slice(0, 80))}.`);
}
