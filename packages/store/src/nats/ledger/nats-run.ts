import {
  type CallRecord,
  type LedgerRun,
  leaseLostError,
  type PastCall,
  type RunRecord,
} from "@haft/core/internal";
import type { Link } from "../connection/link.ts";
import { toUnavailableError } from "../connection/nats-error.ts";
import { type Batch, toBatch, type LoggedCall } from "./messages.ts";
import { type NatsLease, formatHolder } from "./nats-lease.ts";
import { readRecords } from "./read-log.ts";
import type { RunLog } from "./run-log.ts";
import type { RunsBucket } from "./runs-bucket.ts";

export interface NatsRunParts {
  readonly link: Link;
  readonly runs: RunsBucket;
  readonly record: RunRecord;
  readonly lease: NatsLease;
  readonly log: RunLog;
  readonly calls: ReadonlyMap<string, LoggedCall>;
}

/** Writes calls in sequence: each write names the previous. */
export class NatsRun implements LedgerRun {
  readonly record: RunRecord;
  readonly past: readonly PastCall[];
  readonly lease: NatsLease;
  readonly #taken: NatsRunParts;
  readonly #calls: Map<string, LoggedCall>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(taken: NatsRunParts) {
    this.record = taken.record;
    this.lease = taken.lease;
    this.#taken = taken;
    this.#calls = new Map(taken.calls);
    this.past = Array.from(taken.calls.values(), ({ past }) => past).toSorted((a, b) => a.seq - b.seq);
  }

  async write(calls: readonly CallRecord[]): Promise<void> {
    if (calls.length === 0) return;
    const batch = toBatch(calls);
    const written = this.#write(batch, this.#last);
    this.#last = written.catch(() => {});
    await written;
  }

  async #write(batch: Batch, before: Promise<unknown>): Promise<void> {
    await before;
    this.lease.lost.throwIfAborted();
    const seq = await this.#taken.log.append(batch);
    if (seq === undefined) throw await this.#lost();
    for (const past of JSON.parse(batch.summary) as PastCall[])
      this.#calls.set(past.toolCallId, { past, seq });
  }

  async read(toolCallId: string): Promise<CallRecord | undefined> {
    const found = this.#calls.get(toolCallId);
    return found && (await readRecords(this.#taken.link, [found]))[0];
  }

  async close(): Promise<void> {
    await this.#last;
    try {
      await this.lease.release(Date.now());
    } catch (thrown) {
      throw toUnavailableError(thrown);
    }
  }

  async #lost(): Promise<Error> {
    const now = await this.#taken.runs.get(this.record).catch(() => undefined);
    this.lease.lose(now === undefined ? "another host wrote to it" : formatHolder(now.run));
    return leaseLostError(this.record, now && formatHolder(now.run));
  }
}
