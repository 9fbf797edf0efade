import {
  type CallRecord,
  leaseLostError,
  type Lease,
  type LedgerRun,
  type RunRecord,
} from "@haft/core/internal";
import type { Database } from "../database/database.ts";
import type { ActiveRun, ActiveRuns } from "./active-runs.ts";
import type { CallIndex } from "./call-index.ts";
import type { CallRows } from "./call-rows.ts";
import { approximateNow } from "./holder.ts";
import { callNumber } from "./numbers.ts";
import type { RunRows } from "./run-rows.ts";
import type { LedgerSettlement } from "./settlement.ts";

export interface RunParts {
  readonly database: Database;
  readonly runs: RunRows;
  readonly calls: CallRows;
  readonly activeRuns: ActiveRuns;
  readonly callIndex: CallIndex;
  readonly settlement: LedgerSettlement;
}

export class SqliteRun implements LedgerRun, ActiveRun {
  readonly number: number;
  readonly epoch: number;
  readonly record: RunRecord;
  readonly past: LedgerRun["past"];
  readonly lease: Lease;
  readonly holder: number;
  readonly #parts: RunParts;
  readonly #lost = new AbortController();
  /** The rows of waiting calls contain complete arguments. */
  readonly #waiting = new Set<string>();
  #closed = false;

  constructor(
    parts: RunParts,
    run: { number: number; record: RunRecord; holder: number; past: LedgerRun["past"] },
  ) {
    this.number = run.number;
    this.record = run.record;
    this.epoch = run.record.epoch;
    this.past = run.past;
    this.holder = run.holder;
    this.#parts = parts;
    for (const { status, toolCallId } of run.past) if (status === "pending") this.#waiting.add(toolCallId);
    const { activeRuns } = parts;
    this.lease = {
      epoch: this.epoch,
      get endsAt() {
        return activeRuns.endsAt;
      },
      lost: this.#lost.signal,
      check: () => this.#check(),
    };
    activeRuns.add(this);
  }

  write(records: readonly CallRecord[]): void {
    const { database, calls, runs, settlement } = this.#parts;
    if (this.#closed) throw leaseLostError(this.record, "it was closed here");
    const last = records.at(-1);
    if (last === undefined) return;
    this.#noteWaiting(records);
    if (records.length === 1 && calls.putSingle(this, last)) return;
    const isHeld = database.write(
      () => {
        if (!runs.isActive(this.number, this.epoch, this.holder)) {
          settlement.storeLateCalls(this.number, records);
          return false;
        }
        for (const record of records) calls.put(this.number, record);
        return true;
      },
      callNumber(this.number, last.seq),
    );
    if (!isHeld) throw this.#leaseLost();
  }

  /** Also empties the write-ahead file of decided calls' arguments. */
  #noteWaiting(records: readonly CallRecord[]): void {
    for (const { status, toolCallId } of records)
      if (status === "pending") this.#waiting.add(toolCallId);
      else if (this.#waiting.delete(toolCallId)) this.#parts.database.emptyWriteAhead();
  }

  async read(toolCallId: string): Promise<CallRecord | undefined> {
    return this.#parts.calls.find(this.number, toolCallId);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const { database, activeRuns, callIndex, runs, settlement } = this.#parts;
    const at = Date.now();
    database.write(() => {
      if (!runs.isActive(this.number, this.epoch, this.holder)) return;
      settlement.settle(this.number, this.epoch, { at, abandoned: false });
      callIndex.add(this.number);
      runs.release(this.number, at);
    });
    this.#closed = true;
    activeRuns.remove(this);
  }

  lose(): void {
    this.#parts.activeRuns.remove(this);
    this.#lost.abort(leaseLostError(this.record, "another process holds it now"));
  }

  /** Near the end of its lease, it checks the file before it gives up. */
  #check(): void {
    if (this.#closed) throw leaseLostError(this.record, "it was closed here");
    if (!this.#lost.signal.aborted && approximateNow() >= this.#parts.activeRuns.endsAt)
      this.#parts.activeRuns.renew();
    if (this.#lost.signal.aborted) throw this.#leaseLost();
  }

  #leaseLost(): Error {
    if (!this.#lost.signal.aborted) this.lose();
    return this.#lost.signal.reason as Error;
  }
}
