import { HaftError } from "@haft/core";
import { renameSync } from "node:fs";
import { formatNames, toStoreProblem } from "../../errors.ts";
import type { StoreProblem } from "../../state-store.ts";
import type { Database } from "../database/database.ts";
import { getCallNumberRange } from "../ledger/numbers.ts";

/** Reads one more row than it names. */
const MOST = 21;
const [SPAN] = getCallNumberRange(1);

const PARTS_OF_NOTHING = `
  SELECT 'run ' || CAST(number / ${SPAN} AS INTEGER) AS what FROM calls
  WHERE CAST(number / ${SPAN} AS INTEGER) NOT IN (SELECT number FROM runs) GROUP BY what`;
const UNREADABLE_CALLS = `
  SELECT 'call ' || (calls.number % ${SPAN}) || ' of run ' || coalesce(run_id, '?') AS what
  FROM calls LEFT JOIN runs ON runs.number = CAST(calls.number / ${SPAN} AS INTEGER)
  WHERE NOT (CASE WHEN json_valid(past) AND json_valid(more) THEN past ->> 'toolCallId' IS calls.id ELSE 0 END)`;
const UNREADABLE_RUNS = "SELECT 'run ' || run_id AS what FROM runs WHERE NOT json_valid(opening)";
/** Trimmed calls leave no gaps. */
const GAPS = `
  SELECT 'run ' || run_id || ': ' || (latest - base - count) || ' calls' AS what FROM (
    SELECT run_id, max(trimmed, runs.number * ${SPAN}) AS base, count(calls.number) AS count, max(calls.number) AS latest
    FROM runs JOIN calls ON calls.number > max(trimmed, runs.number * ${SPAN}) AND calls.number < (runs.number + 1) * ${SPAN}
    GROUP BY runs.number)
  WHERE count <> latest - base`;

export function checkFile(database: Database): StoreProblem[] {
  try {
    const damage = database.all(`PRAGMA integrity_check(${MOST - 1})`) as { integrity_check: string }[];
    const damaged = damage.map((row) => row.integrity_check).filter((text) => text !== "ok");
    if (damaged.length > 0)
      return [toStoreProblem("STORE_CORRUPT", `${database.path} is damaged: ${damaged.join("; ")}.`)];
    const found = (code: "STORE_CORRUPT" | "STORE_INCOMPLETE", sql: string, text: string) => {
      const rows = database.all(`${sql} LIMIT ${MOST}`) as { what: string }[];
      return rows.length === 0
        ? []
        : [toStoreProblem(code, `${text} ${formatNames(rows.map(({ what }) => what))}.`)];
    };
    const incidents = database.all("SELECT found_at, what FROM incidents ORDER BY found_at") as {
      found_at: number;
      what: string;
    }[];
    return [
      ...incidents.map(({ found_at: at, what }) =>
        toStoreProblem("STORE_INCOMPLETE", `${what} Found ${new Date(at).toISOString()}.`),
      ),
      ...found("STORE_INCOMPLETE", GAPS, "Calls are missing from the middle of"),
      ...found("STORE_INCOMPLETE", PARTS_OF_NOTHING, "There are calls without their run:"),
      ...found(
        "STORE_CORRUPT",
        `${UNREADABLE_CALLS} UNION ALL ${UNREADABLE_RUNS}`,
        "Stored data cannot be read:",
      ),
    ];
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    return [{ code: thrown.code, message: thrown.message, fix: thrown.fix ?? "" }];
  }
}

export function repairFile(database: Database): string | undefined {
  if (checkFile(database).some(({ code }) => code === "STORE_CORRUPT")) {
    database.release();
    return putAside(database.path);
  }
  database.run("DELETE FROM incidents");
  return undefined;
}

const PARTS = ["", "-wal", "-shm", "-mark"];

/** Renames a file and its companions with a timestamp. @returns the new path */
function putAside(path: string, at = new Date()): string {
  const aside = `${path}.damaged-${at.toISOString().replaceAll(":", "-")}`;
  for (const part of PARTS) {
    try {
      renameSync(`${path}${part}`, `${aside}${part}`);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "ENOENT") throw thrown;
    }
  }
  return aside;
}
