import { withTimeout } from "@haft/utils";
import { type HaftError, getErrorMessage } from "../../contract/errors.ts";
import type { CallRecord, LedgerRun, LedgerStore, PastCall, RunOpening } from "../../contract/ledger-port.ts";
import type { Logger } from "../../contract/ports.ts";
import type { ToolOutcome } from "../../contract/result.ts";
import { callRecord, type CallState } from "./call-record.ts";
import { ledgerUnavailableError, ledgerStoreError } from "./ledger-errors.ts";
import type { RecordedCall } from "./recorded-call.ts";
import { WriteQueue, type QueueResult } from "./write-queue.ts";

const WAIT_MS = 10_000;

/** Refuses a call with changes while the store fails, or records it later. */
export type StoreFaultMode = "refuse" | "record-later";

export interface RecorderParts {
  readonly store: LedgerStore;
  readonly opening: Omit<RunOpening, "resume" | "takeOver" | "signal" | "runId">;
  /** Called at the opening, since ids sort by creation time. */
  readonly newRunId: () => string;
  readonly onStoreFault: StoreFaultMode;
  readonly logger: Logger;
  readonly run?: LedgerRun | undefined;
}

export interface RecordedSession {
  onStore(state: "failed" | "back", message: string): void;
  onLost(error: HaftError): void;
}

/**
 * Writes calls to a store: changes before the start and before the outcome is returned, others within 50 ms.
 */
export class Recorder {
  readonly #parts: RecorderParts;
  readonly #session: RecordedSession;
  readonly #queue: WriteQueue;
  #run: LedgerRun | undefined;
  #opening: Promise<LedgerRun> | undefined;
  #isClosed = false;
  #oldIds: OldIds | undefined;
  #lost: HaftError | undefined;
  #seq: number;

  constructor(parts: RecorderParts, session: RecordedSession) {
    this.#parts = parts;
    this.#session = session;
    this.#seq = parts.run?.past.reduce((most, { seq }) => Math.max(most, seq), 0) ?? 0;
    this.#queue = new WriteQueue((records) => this.#write(records), {
      onFault: (error) => this.#onFault(error),
      onBack: (records) => this.#onBack(records),
    });
    if (parts.run !== undefined) this.#take(parts.run);
  }

  get run(): LedgerRun | undefined {
    return this.#run;
  }

  get lost(): HaftError | undefined {
    return this.#lost;
  }

  get past(): readonly PastCall[] {
    return this.#parts.run?.past ?? [];
  }

  get oldIds(): OldIds | undefined {
    return this.past.length === 0 ? undefined : (this.#oldIds ??= new OldIds(this.past));
  }

  get epoch(): number {
    return this.#run?.record.epoch ?? 1;
  }

  refusal(): HaftError | undefined {
    if (this.#lost !== undefined) return this.#lost;
    if (!this.#queue.isFull) return undefined;
    return ledgerUnavailableError(
      `${this.#queue.size} calls already wait to be recorded (${this.#queue.fault?.message ?? "its store is slow"})`,
    );
  }

  /** Opens the run. After an error, no call with changes may continue. */
  async ready(changes: boolean): Promise<HaftError | undefined> {
    if (this.#run !== undefined) return undefined;
    const opened = withTimeout(() => this.#open(), WAIT_MS, { error: slow, unref: true });
    return this.#judge(
      await opened.then(
        () => undefined,
        (thrown: unknown) => ledgerStoreError(thrown),
      ),
      changes,
    );
  }

  /** Stores the complete call before the request, so that a resume can make it. */
  recordWaiting(call: RecordedCall, approvalId: string): QueueResult {
    call.approvalId = approvalId;
    return this.#tolerated(this.#save(call, { status: "pending", approvalId }), call.changesThings());
  }

  recordStart(call: RecordedCall): QueueResult {
    if (this.#lost !== undefined) return this.#lost;
    if (!call.changesThings()) return this.#check();
    const saved = this.#save(call, { status: "executing", startedAt: Date.now() });
    const tolerated = this.#tolerated(saved, true);
    return tolerated instanceof Promise
      ? tolerated.then((error) => this.#checkUnless(call, error))
      : this.#checkUnless(call, tolerated);
  }

  /** A refused call needs no record. */
  #checkUnless(call: RecordedCall, refused: HaftError | undefined): HaftError | undefined {
    if (refused === undefined) return this.#check();
    call.isRecorded = false;
    return refused;
  }

  /** After an error, the record is queued. */
  recordEnd(call: RecordedCall, outcome: ToolOutcome): QueueResult {
    if (call.isRecorded) return this.#save(call, { outcome });
    this.#queue.add(this.#recordOf(call, { outcome }));
    return undefined;
  }

  async findRecord(toolCallId: string): Promise<CallRecord | undefined> {
    return this.#queue.find(toolCallId) ?? (await this.#run?.read(toolCallId));
  }

  async flush(): Promise<void> {
    if (this.#queue.fault === undefined) await this.#queue.flush();
  }

  async close(): Promise<void> {
    const { logger } = this.#parts;
    const error = this.#lost ?? (await this.#queue.flush()) ?? (await this.#queue.flush());
    this.#queue.stop();
    const missing = this.#queue.size;
    if (missing > 0) {
      const [calls, them] = missing === 1 ? ["1 call", "it"] : [`${missing} calls`, "them"];
      const message = `The end of ${calls} is not recorded: the ledger has ${them} as interrupted, or not at all.`;
      logger.error(message, { missing, reason: error?.message ?? "the store is slow" });
    }
    this.#isClosed = true;
    if (this.#run !== undefined) await this.#leave(this.#run);
  }

  async #leave(run: LedgerRun): Promise<void> {
    const leave = async () => {
      await this.#queue.flush();
      await run.close();
    };
    await withTimeout(leave, WAIT_MS, { error: slow }).catch((thrown: unknown) =>
      this.#parts.logger.error("A run was not closed.", { reason: ledgerStoreError(thrown).message }),
    );
  }

  #recordOf(call: RecordedCall, standing: CallState): CallRecord {
    call.seq ??= ++this.#seq;
    const { mode } = this.#parts.opening;
    const position = { seq: call.seq, epoch: this.epoch, mode };
    try {
      return callRecord(call, position, standing);
    } catch (thrown) {
      const reason = getErrorMessage(thrown);
      this.#parts.logger.warn("A call could not be recorded completely.", { call: call.id, reason });
      return callRecord(call, { ...position, mode: "none", isBare: true }, standing);
    }
  }

  #save(call: RecordedCall, standing: CallState): QueueResult {
    call.isRecorded = true;
    return this.#queue.save(this.#recordOf(call, standing));
  }

  /** With `record-later`, a call with changes continues before its record is stored, unless the lease is lost. */
  #tolerated(written: QueueResult, changes: boolean): QueueResult {
    if (written instanceof Promise) return written.then((error) => this.#judge(error, changes));
    return this.#judge(written, changes);
  }

  #judge(error: HaftError | undefined, changes: boolean): HaftError | undefined {
    if (error === undefined || error.code === "SESSION_LEASE_LOST") return error;
    return changes && this.#parts.onStoreFault === "refuse" ? error : undefined;
  }

  #check(): HaftError | undefined {
    try {
      this.#run?.lease.check();
      return undefined;
    } catch (thrown) {
      const error = ledgerStoreError(thrown);
      if (error.code === "SESSION_LEASE_LOST") this.#loses(error);
      return error;
    }
  }

  #write(records: readonly CallRecord[]): void | Promise<void> {
    return this.#run === undefined ? this.#openAndWrite(records) : this.#run.write(records);
  }

  async #openAndWrite(records: readonly CallRecord[]): Promise<void> {
    const run = await this.#open();
    await run.write(records);
  }

  #open(): Promise<LedgerRun> {
    return (this.#opening ??= this.#openRun().catch((thrown: unknown) => {
      this.#opening = undefined;
      throw thrown;
    }));
  }

  async #openRun(): Promise<LedgerRun> {
    const { store, opening, newRunId } = this.#parts;
    const run = await store.open({ ...opening, runId: newRunId() });
    this.#take(run);
    if (this.#isClosed) void this.#queue.settled().then(() => this.#leave(run));
    return run;
  }

  #take(run: LedgerRun): void {
    this.#run = run;
    const { lost } = run.lease;
    const onLost = () => this.#loses(ledgerStoreError(lost.reason));
    if (lost.aborted) onLost();
    else lost.addEventListener("abort", onLost, { once: true });
  }

  #loses(error: HaftError): void {
    if (this.#lost !== undefined) return;
    this.#lost = error;
    this.#queue.stop();
    this.#session.onLost(error);
  }

  #onFault(error: HaftError): void {
    if (error.code === "SESSION_LEASE_LOST") return this.#loses(error);
    const { opening, logger } = this.#parts;
    logger.error("The ledger's store failed.", { session: opening.sessionKey, reason: error.message });
    this.#session.onStore("failed", error.message);
  }

  #onBack(records: number): void {
    const { opening, logger } = this.#parts;
    const message = `The ledger's store works again; ${records} ${records === 1 ? "call is" : "calls are"} recorded now.`;
    logger.info(message, { session: opening.sessionKey });
    this.#session.onStore("back", message);
  }
}

function slow(): HaftError {
  return ledgerUnavailableError(`its store did not answer within ${WAIT_MS / 1000} s`);
}

class OldIds {
  readonly #calls = new Map<string, PastCall[]>();
  readonly #taken = new Set<string>();
  readonly #used = new Set<string>();

  constructor(past: readonly PastCall[]) {
    for (const call of past) {
      if (call.status === "gap") continue;
      const { toolCallId, answeredAs = toolCallId } = call;
      this.#taken.add(toolCallId);
      const others = this.#calls.get(answeredAs);
      if (others === undefined) this.#calls.set(answeredAs, [call]);
      else others.push(call);
    }
  }

  /** Returns the earlier call of a redelivery: same tool and arguments, first time, no poll. */
  takeRedelivered(
    id: string,
    argsDigest: string,
    isTool: (toolName: string) => boolean,
  ): PastCall | undefined {
    if (this.#used.has(id)) return undefined;
    const calls = this.#calls.get(id);
    const found = calls?.findLastIndex(
      (call) => call.argsDigest === argsDigest && call.poll !== true && isTool(call.toolName),
    );
    return found === undefined || found < 0 ? undefined : calls!.splice(found, 1)[0];
  }

  idFor(id: string, isTaken: (id: string) => boolean): string {
    if (this.#used.has(id) || !(this.#calls.has(id) || this.#taken.has(id))) return id;
    this.#used.add(id);
    let uses = 2;
    while (isTaken(`${id}#${uses}`)) uses++;
    return `${id}#${uses}`;
  }
}
