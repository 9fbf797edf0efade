import { isThenable, withTimeout } from "@haft/utils";
import type { HaftError } from "../../contract/errors.ts";
import type { CallRecord } from "../../contract/ledger-port.ts";
import { ledgerUnavailableError, ledgerStoreError } from "./ledger-errors.ts";

/** Milliseconds between a call that only read and the write of its record. */
const BATCH_MS = 50;
/** Calls that are enough for a write: one of many more would hold up whatever else there is. */
const BATCH = 128;
/** Milliseconds a write is waited for. It may still come to be afterwards, and nothing else is written before it has ended. */
const WAIT_MS = 10_000;
/** Milliseconds until what could not be written is tried again by itself, at first and at most. */
const RETRY_MS = { first: 1_000, most: 30_000 };
/** Calls that are kept while the store is away, and characters of what they were about. */
const MAX_CALLS = 10_000;
const MAX_CHARACTERS = 16_000_000;

/** Answers nothing when the records are safe, else why they are not: then they are kept, and tried again. */
export type QueueResult = HaftError | undefined | Promise<HaftError | undefined>;

export interface QueueListener {
  /** The store failed, for the first time since it worked. */
  onFault(error: HaftError): void;
  onBack(records: number): void;
}

interface Busy {
  readonly ended: Promise<HaftError | undefined>;
  readonly since: number;
}

/** Latest records on their way to a store, in order. One write at a time; what failed is written first. */
export class WriteQueue {
  readonly #write: (records: readonly CallRecord[]) => void | Promise<void>;
  readonly #listener: QueueListener;
  #queued = new Map<string, CallRecord>();
  #busy: Busy | undefined;
  #writing: readonly CallRecord[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wakesAt = 0;
  #retryMs = RETRY_MS.first;
  #fault: HaftError | undefined;
  #isClosed = false;

  constructor(write: (records: readonly CallRecord[]) => void | Promise<void>, listener: QueueListener) {
    this.#write = write;
    this.#listener = listener;
  }

  /** Why the store did not take what it was given last; nothing where it did. */
  get fault(): HaftError | undefined {
    return this.#fault;
  }

  /** More cannot be kept: no call is made until the store is back. */
  get isFull(): boolean {
    return this.#queued.size >= MAX_CALLS;
  }

  get size(): number {
    return this.#queued.size + this.#writing.length;
  }

  find(toolCallId: string): CallRecord | undefined {
    return this.#queued.get(toolCallId) ?? this.#writing.find((record) => record.toolCallId === toolCallId);
  }

  add(record: CallRecord): void {
    this.#queued.set(record.toolCallId, record);
    if (this.#isDue()) void this.flush();
    else this.#wake(BATCH_MS);
  }

  /** To be safe when this returns, or resolves, together with all that came before. */
  save(record: CallRecord): QueueResult {
    this.#queued.set(record.toolCallId, record);
    return this.flush(record);
  }

  /** Writes all there is; answers as soon as this record is safe, where one is given. */
  flush(record?: CallRecord): QueueResult {
    if (this.#busy !== undefined) return this.#afterBusy(this.#busy, record);
    if (this.#queued.size === 0) return undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = [...this.#queued.values()];
    this.#queued = new Map();
    let writing: void | Promise<void>;
    try {
      writing = this.#write(batch);
    } catch (thrown) {
      return this.#failed(batch, thrown);
    }
    if (!isThenable(writing)) return this.#worked(batch);
    this.#writing = batch;
    const ended = writing.then(
      () => this.#settle(() => this.#worked(batch)),
      (thrown: unknown) => this.#settle(() => this.#failed(batch, thrown)),
    );
    this.#busy = { ended, since: performance.now() };
    return waited(ended, WAIT_MS);
  }

  /** After the write that is on its way, however long it has taken already; never rejects. */
  async settled(): Promise<void> {
    await this.#busy?.ended;
  }

  stop(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** One that hangs is not waited for anew by every call. */
  #afterBusy({ ended, since }: Busy, record: CallRecord | undefined): QueueResult {
    const left = WAIT_MS - (performance.now() - since);
    if (left <= 0) return hanging();
    const isSafe = () => record !== undefined && this.find(record.toolCallId) !== record;
    const safe = ended.then(() => (isSafe() ? undefined : this.flush(record)));
    return waited(safe, left + WAIT_MS);
  }

  #settle(how: () => HaftError | undefined): HaftError | undefined {
    this.#busy = undefined;
    this.#writing = [];
    const error = how();
    if (this.#queued.size > 0 && error === undefined) this.#wake(BATCH_MS);
    return error;
  }

  #worked(batch: readonly CallRecord[]): undefined {
    if (this.#fault === undefined) return;
    this.#fault = undefined;
    this.#retryMs = RETRY_MS.first;
    this.#listener.onBack(batch.length);
  }

  #failed(batch: readonly CallRecord[], thrown: unknown): HaftError {
    const error = ledgerStoreError(thrown);
    const newer = this.#queued;
    this.#queued = new Map(batch.map((record) => [record.toolCallId, record]));
    for (const [id, record] of newer) this.#queued.set(id, record);
    const isNew = this.#fault?.code !== error.code;
    this.#fault = error;
    if (isNew) this.#listener.onFault(error);
    this.#lighten();
    if (error.code === "SESSION_LEASE_LOST") this.stop();
    this.#wake(this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS.most);
    return error;
  }

  /** Of the oldest there is kept how they ended, once all together are too much. */
  #lighten(): void {
    let characters = 0;
    for (const record of [...this.#queued.values()].toReversed()) {
      characters += weightOf(record);
      if (characters > MAX_CHARACTERS && record.argsWhole === undefined)
        this.#queued.set(record.toolCallId, bare(record));
    }
  }

  /** Also without a timer: calls that wait for nothing leave it no turn, however many they are. */
  #isDue(): boolean {
    if (this.#isClosed || this.#busy !== undefined || this.#fault !== undefined) return false;
    if (this.#queued.size >= BATCH) return true;
    return this.#timer !== undefined && performance.now() >= this.#wakesAt;
  }

  #wake(afterMs: number): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#wakesAt = performance.now() + afterMs;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, afterMs);
    this.#timer.unref();
  }
}

const weights = new WeakMap<CallRecord, number>();

function weightOf(record: CallRecord): number {
  let weight = weights.get(record);
  if (weight === undefined) weights.set(record, (weight = JSON.stringify(record).length));
  return weight;
}

function bare(record: CallRecord): CallRecord {
  const { args: _a, tool: _t, plan: _p, result: _r, decision: _d, hosts: _h, ...rest } = record;
  return rest;
}

function hanging(): HaftError {
  return ledgerUnavailableError(`its store has not answered for ${WAIT_MS / 1000} s`);
}

/** Returns the error of a store that hangs, so that no call hangs with it. The write itself never rejects. */
async function waited(
  ended: Promise<HaftError | undefined>,
  limitMs: number,
): Promise<HaftError | undefined> {
  return withTimeout(ended, limitMs, { error: hanging }).catch((late: unknown) => late as HaftError);
}
