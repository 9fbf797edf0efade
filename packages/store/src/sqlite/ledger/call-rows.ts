import type { CallRecord, PastCall } from "@haft/core/internal";
import { storeError } from "../../errors.ts";
import type { Database } from "../database/database.ts";
import { readJson } from "../database/read-json.ts";
import { kindOf } from "./kinds.ts";
import { callNumber, numbersOf } from "./numbers.ts";
import type { ToolRows } from "./tool-rows.ts";

/** What a resumed session does not need at once. */
type More = Omit<CallRecord, keyof PastCall | "tool">;

interface CallRow {
  number: number;
  past: string;
  more: string;
  facts: string;
}

/** Rows that are read at once. */
const BATCH = 10_000;

const UPSERT = `
  INSERT INTO calls (number, kind, tool, created, id, past, more) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (number) DO UPDATE SET kind = excluded.kind, tool = excluded.tool, past = excluded.past, more = excluded.more
  WHERE id = excluded.id`;
const SELECT = `SELECT number, past, more, facts FROM calls LEFT JOIN tools ON tools.id = calls.tool`;

/** Calls as rows. Each is kept in two parts, so that a session that goes on reads thousands without their results. */
export class CallRows {
  readonly #database: Database;
  readonly #tools: ToolRows;

  constructor(database: Database, tools: ToolRows) {
    this.#database = database;
    this.#tools = tools;
  }

  /** Instead of what was kept of it. @throws HaftError `STORE_PLACE_TAKEN` when its place has another call */
  put(run: number, record: CallRecord): void {
    const { args, received, sender, decision, plan, result, hosts, grantIds, tool, ...past } = record;
    const more = { args, received, sender, decision, plan, result, hosts, grantIds };
    const changed = this.#database.run(
      UPSERT,
      callNumber(run, record.seq),
      kindOf(record),
      this.#tools.idOf(record.toolName, tool),
      record.createdAt,
      record.toolCallId,
      JSON.stringify(past),
      JSON.stringify(more),
    );
    if (changed === 0) {
      const message = `Place ${record.seq} of the run has another call than "${record.toolCallId}".`;
      throw storeError("STORE_PLACE_TAKEN", message);
    }
  }

  /** By the number of its row. */
  at(number: number): CallRecord | undefined {
    const row = this.#database.get(`${SELECT} WHERE number = ?`, number) as CallRow | undefined;
    return row === undefined ? undefined : recordOf(row);
  }

  /** By its id. Calls of a run are few enough to look through. */
  find(run: number, toolCallId: string): CallRecord | undefined {
    const sql = `${SELECT} WHERE number BETWEEN ? AND ? AND calls.id = ?`;
    const row = this.#database.get(sql, ...numbersOf(run), toolCallId) as CallRow | undefined;
    return row === undefined ? undefined : recordOf(row);
  }

  /** Those of a run that are of one of these kinds, in order. */
  ofKinds(run: number, kinds: readonly number[]): CallRecord[] {
    const sql = `${SELECT} WHERE number BETWEEN ? AND ? AND kind IN (SELECT value FROM json_each(?)) ORDER BY number`;
    const rows = this.#database.all(sql, ...numbersOf(run), JSON.stringify(kinds)) as CallRow[];
    return rows.map(recordOf);
  }

  /** All of a run, in order. They come as one text, which is parsed at once: several times as fast as row by row. */
  past(run: number): PastCall[] {
    const [first, last] = numbersOf(run);
    const found: PastCall[] = [];
    const sql = `SELECT count(*) AS count, max(number) AS latest, '[' || group_concat(past, ',') || ']' AS past
      FROM (SELECT number, past FROM calls WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ${BATCH})`;
    for (let from = first; ;) {
      const row = this.#database.get(sql, from, last) as { count: number; latest: number; past: string };
      if (row.count === 0) return found;
      for (const call of readJson(row.past) as PastCall[]) found.push(call);
      if (row.count < BATCH) return found;
      from = row.latest + 1;
    }
  }

  /** The place of the latest of a run; 0 when there is none. */
  lastSeq(run: number): number {
    const [first, last] = numbersOf(run);
    const row = this.#database.get(
      "SELECT max(number) AS latest FROM calls WHERE number BETWEEN ? AND ?",
      first,
      last,
    ) as { latest: number | null };
    return row.latest === null ? 0 : row.latest - first;
  }
}

function recordOf({ past, more, facts }: CallRow): CallRecord {
  const tool = facts === "" || facts === null ? {} : { tool: readJson(facts) as CallRecord["tool"] };
  return { ...(readJson(past) as PastCall), ...tool, ...(readJson(more) as More) } as CallRecord;
}
