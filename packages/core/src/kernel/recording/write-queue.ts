import { isThenable, withTimeout } from "@haft/utils";
import type { HaftError } from "../../contract/errors.ts";
import type { CallRecord } from "../../contract/ledger-port.ts";
import { ledgerUnavailableError, ledgerStoreError } from "./ledger-errors.ts";

const BATCH_MS = 50;
const BATCH = 128;
/** Limits the wait for a write. The next write starts after its end. */
const WAIT_MS = 10_000;
const RETRY_MS = { first: 1_000, most: 30_000 };
const MAX_CALLS = 10_000;
const MAX_CHARACTERS = 16_000_000;

/** Returns `undefined` if the records are stored, otherwise the error; they are then queued. */
export type QueueResult = HaftError | undefined | Promise<HaftError | undefined>;

export interface QueueListener {
  onFault(error: HaftError): void;
  onBack(records: number): void;
}

interface Busy {
  readonly ended: Promise<HaftError | undefined>;
  readonly since: number;
}

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

  get fault(): HaftError | undefined {
    return this.#fault;
  }

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

  /** Resolves when this and all earlier records are stored. */
  save(record: CallRecord): QueueResult {
    this.#queued.set(record.toolCallId, record);
    return this.flush(record);
  }

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

  async settled(): Promise<void> {
    await this.#busy?.ended;
  }

  stop(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

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

  #lighten(): void {
    let characters = 0;
    for (const record of [...this.#queued.values()].toReversed()) {
      characters += weightOf(record);
      if (characters > MAX_CHARACTERS && record.argsWhole === undefined)
        this.#queued.set(record.toolCallId, bare(record));
    }
  }

  /** Also checks the time: synchronous calls give the timer no turn. */
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

async function waited(
  ended: Promise<HaftError | undefined>,
  limitMs: number,
): Promise<HaftError | undefined> {
  return withTimeout(ended, limitMs, { error: hanging }).catch((late: unknown) => late as HaftError);
}
