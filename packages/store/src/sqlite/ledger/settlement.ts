import { type CallRecord, createGapRecord, toInterruptedCall } from "@haft/core/internal";
import { readJson } from "../database/database-error.ts";
import type { Database } from "../database/database.ts";
import type { CallRows } from "./call-rows.ts";
import { listKinds } from "./kinds.ts";
import { callNumber } from "./numbers.ts";

const EXECUTING = listKinds({ status: "executing" });

/** Settles runs without a holder, in the caller's transaction. */
export class LedgerSettlement {
  readonly #database: Database;
  readonly #calls: CallRows;

  constructor(database: Database, calls: CallRows) {
    this.#database = database;
    this.#calls = calls;
  }

  /**
   * Marks executing calls as failed with unknown effects.
   *
   * @param abandoned the holder did not close the run: reads may be missing
   */
  settle(run: number, epoch: number, { at, abandoned }: { at: number; abandoned: boolean }): void {
    for (const call of this.#calls.listByKinds(run, EXECUTING))
      this.#calls.put(run, toInterruptedCall(call, at));
    this.#addLate(run);
    if (abandoned) this.#calls.put(run, createGapRecord({ seq: this.#calls.lastSeq(run) + 1, epoch }, at));
  }

  /**
   * Handles calls written after the loss of the run. Started calls become conflicts, since they may overlap with the next holder's. Others
   * are refused without effect.
   */
  storeLateCalls(run: number, records: readonly CallRecord[]): void {
    for (const record of records) {
      const hasEnded = record.status === "completed" || record.status === "failed";
      if (record.startedAt === undefined || !hasEnded) continue;
      const conflict = asConflict(record);
      const known = this.#calls.at(callNumber(run, record.seq));
      const isSame = known?.toolCallId === record.toolCallId && known.epoch === record.epoch;
      if (isSame) this.#calls.put(run, conflict);
      else this.#database.run("INSERT INTO late (run, record) VALUES (?, ?)", run, JSON.stringify(conflict));
    }
  }

  /** Late calls get sequence numbers when the run is free. */
  #addLate(run: number): void {
    const rows = this.#database.all("SELECT record FROM late WHERE run = ? ORDER BY rowid", run);
    if (rows.length === 0) return;
    for (const { record } of rows as { record: string }[]) {
      const late = readJson(record) as CallRecord;
      const seq = this.#calls.lastSeq(run) + 1;
      const isKnown = this.#calls.find(run, late.toolCallId) !== undefined;
      const toolCallId = isKnown ? `${late.toolCallId}#late${seq}` : late.toolCallId;
      this.#calls.put(run, { ...late, seq, toolCallId });
    }
    this.#database.run("DELETE FROM late WHERE run = ?", run);
  }
}

function asConflict(record: CallRecord): CallRecord {
  return {
    ...record,
    status: "failed",
    outcome: "error",
    code: "SESSION_LEASE_LOST",
    category: "operational",
    receipt: record.changes === true ? "unknown" : (record.receipt ?? "none"),
  };
}
