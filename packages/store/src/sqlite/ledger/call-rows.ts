import type { CallRecord, PastCall } from "@haft/core/internal";
import { storeError } from "../../errors.ts";
import { readJson } from "../database/database-error.ts";
import type { Database } from "../database/database.ts";
import { toLedgerKind } from "./kinds.ts";
import { callNumber, getCallNumberRange } from "./numbers.ts";
import type { ToolRows } from "./tool-rows.ts";

type More = Omit<CallRecord, keyof PastCall | "tool">;

interface CallRow {
  number: number;
  past: string;
  more: string;
  facts: string;
}

interface HeldBy {
  readonly number: number;
  readonly epoch: number;
  readonly holder: number;
}

type Row = [
  number: number,
  kind: number,
  tool: number,
  created: number,
  id: string,
  past: string,
  more: string,
];

/** Pads unfinished calls: a row of constant size needs no new page. */
const ROOM = " ".repeat(256);
const BATCH = 10_000;

const INSERT = "INSERT INTO calls (number, kind, tool, created, id, past, more)";
const ROW = "?, ?, ?, ?, ?, ?, ?";
/** Sets indexed columns only if they changed, because even an equal value writes the index page. */
const OR_UPDATE = `ON CONFLICT (number) DO UPDATE SET kind = excluded.kind, past = excluded.past, more = excluded.more
  WHERE id = excluded.id AND tool = excluded.tool`;
const UPSERT = `${INSERT} VALUES (${ROW}) ${OR_UPDATE}`;
const UPSERT_HELD = `${INSERT} SELECT ${ROW} FROM runs WHERE number = ? AND epoch = ? AND holder = ? ${OR_UPDATE}`;
const UPDATE_TOOL = "UPDATE calls SET tool = ? WHERE number = ? AND id = ?";
const UPDATE_TIMED =
  "UPDATE timed SET tool = ? WHERE created = (SELECT created FROM calls WHERE number = ?) AND number = ?";
const SELECT = `SELECT number, past, more, facts FROM calls LEFT JOIN tools ON tools.id = calls.tool`;

/** Stores calls in two parts: a resumed session reads thousands without their results. */
export class CallRows {
  readonly #database: Database;
  readonly #tools: ToolRows;

  constructor(database: Database, tools: ToolRows) {
    this.#database = database;
    this.#tools = tools;
  }

  /** Replaces a call. @throws HaftError `STORE_FAILED` if its sequence number has another call */
  put(run: number, record: CallRecord): void {
    const row = this.#rowOf(run, record);
    if (this.#database.run(UPSERT, ...row) > 0) return;
    const [number, , tool, , id] = row;
    if (this.#database.run(UPDATE_TOOL, tool, number, id) === 0) {
      const message = `The sequence number ${record.seq} of the run belongs to another call than "${record.toolCallId}".`;
      throw storeError("STORE_FAILED", message);
    }
    this.#database.run(UPDATE_TIMED, tool, number, number);
    this.#database.run(UPSERT, ...row);
  }

  /**
   * Does the same in one fast statement. Returns false without a write if the run has another holder, or if {@link put} must do more.
   */
  putSingle({ number, epoch, holder }: HeldBy, record: CallRecord): boolean {
    const row = this.#rowOf(number, record);
    return this.#database.writeSingle(UPSERT_HELD, row[0], ...row, number, epoch, holder) > 0;
  }

  #rowOf(run: number, record: CallRecord): Row {
    return [
      callNumber(run, record.seq),
      toLedgerKind(record),
      this.#tools.getId(record.toolName, record.tool),
      record.createdAt,
      record.toolCallId,
      pastText(record),
      moreText(record),
    ];
  }

  at(number: number): CallRecord | undefined {
    const row = this.#database.get(`${SELECT} WHERE number = ?`, number) as CallRow | undefined;
    return row === undefined ? undefined : recordOf(row);
  }

  find(run: number, toolCallId: string): CallRecord | undefined {
    const sql = `${SELECT} WHERE number BETWEEN ? AND ? AND calls.id = ?`;
    const row = this.#database.get(sql, ...getCallNumberRange(run), toolCallId) as CallRow | undefined;
    return row === undefined ? undefined : recordOf(row);
  }

  listByKinds(run: number, kinds: readonly number[]): CallRecord[] {
    const sql = `${SELECT} WHERE number BETWEEN ? AND ? AND kind IN (SELECT value FROM json_each(?)) ORDER BY number`;
    const rows = this.#database.all(sql, ...getCallNumberRange(run), JSON.stringify(kinds)) as CallRow[];
    return rows.map(recordOf);
  }

  /** Reads all calls of a run as one JSON text, which parses several times faster than rows. */
  past(run: number): PastCall[] {
    const [first, last] = getCallNumberRange(run);
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

  lastSeq(run: number): number {
    const [first, last] = getCallNumberRange(run);
    const row = this.#database.get(
      "SELECT max(number) AS latest FROM calls WHERE number BETWEEN ? AND ?",
      first,
      last,
    ) as { latest: number | null };
    return row.latest === null ? 0 : row.latest - first;
  }
}

/** Undefined members are faster than a copy without them. */
function pastText(record: CallRecord): string {
  return JSON.stringify({
    ...record,
    args: undefined,
    received: undefined,
    tool: undefined,
    sender: undefined,
    decision: undefined,
    plan: undefined,
    result: undefined,
    hosts: undefined,
    grantIds: undefined,
  });
}

function moreText(record: CallRecord): string {
  const { args, received, sender, decision, plan, result, hosts, grantIds, status } = record;
  const text = JSON.stringify({ args, received, sender, decision, plan, result, hosts, grantIds });
  return status === "executing" ? text + ROOM : text;
}

function recordOf({ past, more, facts }: CallRow): CallRecord {
  const tool = facts === "" || facts === null ? {} : { tool: readJson(facts) as CallRecord["tool"] };
  return { ...(readJson(past) as PastCall), ...tool, ...(readJson(more) as More) } as CallRecord;
}
