import { withoutUndefined, untilAborted } from "@haft/utils";
import { hostname } from "node:os";
import type {
  CallRecord,
  Lease,
  LedgerRun,
  LedgerStore,
  RunHolder,
  RunOpening,
  RunRecord,
} from "../../contract/ledger-port.ts";
import { toInterruptedCall, toPastCall } from "./interrupted-call.ts";
import {
  leaseLostError,
  ledgerUnavailableError,
  runNotFoundError,
  sessionHeldError,
} from "./ledger-errors.ts";
import { matchesQuery, paginate, requireRunForRange } from "./query.ts";
import { newRunId } from "./run-ids.ts";

interface StoredRun {
  record: RunRecord;
  readonly calls: Map<string, CallRecord>;
  held: { readonly loses: AbortController; readonly ended: PromiseWithResolvers<void> } | undefined;
}

/**
 * Creates a store in memory. Sessions can be resumed only in this process.
 *
 * @example
 * ```ts run
 * import { createMemoryStore, Registry, SessionFactory } from "@haft/core/kernel";
 * import { createPolicy } from "@haft/policy";
 * import { createMemoryWorkspace } from "@haft/plugin-sdk/testing";
 *
 * const registry = new Registry({ plugins: [] });
 * const policy = createPolicy({}, { tools: registry.catalogue() });
 * const store = createMemoryStore();
 * const sessions = new SessionFactory({ registry, policy, store });
 * const session = await sessions.open({ kind: "main", sessionKey: "chat-7", workspace: createMemoryWorkspace() });
 * await session.call({ name: "missing" });
 * await session.close();
 * const { items } = await store.runs({ sessionKey: "chat-7" });
 * items.length; // => 1
 * ```
 */
export function createMemoryStore(): LedgerStore {
  return new MemoryStore();
}

class MemoryStore implements LedgerStore {
  readonly #runs = new Map<string, StoredRun>();
  #closed = false;

  async open(opening: RunOpening): Promise<LedgerRun> {
    this.#mustBeOpen();
    opening.signal?.throwIfAborted();
    const stored = this.#wanted(opening);
    if (stored === undefined) return this.#begin(opening);
    while (stored.held !== undefined) {
      if (opening.takeOver !== true) throw sessionHeldError(stored.record);
      await untilAborted(stored.held.ended.promise, opening.signal);
      this.#mustBeOpen();
      if (!this.#runs.has(stored.record.runId))
        throw runNotFoundError(stored.record.runId, opening.sessionKey);
    }
    return this.#continue(stored, opening);
  }

  async runs({ sessionKey, limit, after }: Parameters<LedgerStore["runs"]>[0] = {}) {
    const fitting = Array.from(this.#runs.values(), ({ record }) => record).filter(
      (record) => sessionKey === undefined || record.sessionKey === sessionKey,
    );
    const page = paginate(fitting, (record) => [record.runId], withoutUndefined({ limit, after }));
    return structuredClone(page);
  }

  async calls(query: Parameters<LedgerStore["calls"]>[0]) {
    requireRunForRange(query);
    const runs = query.runId === undefined ? this.#runs.values() : [this.#runs.get(query.runId)];
    const fitting: (CallRecord & { runId: string; sessionKey: string })[] = [];
    for (const stored of runs) {
      if (stored === undefined) continue;
      const { runId, sessionKey } = stored.record;
      if (query.sessionKey !== undefined && query.sessionKey !== sessionKey) continue;
      for (const call of stored.calls.values()) {
        if (matchesQuery(call, query)) fitting.push({ ...call, runId, sessionKey });
      }
    }
    return structuredClone(paginate(fitting, (call) => [call.createdAt, call.runId, call.seq], query));
  }

  async run(runId: string): Promise<RunRecord | undefined> {
    return structuredClone(this.#runs.get(runId)?.record);
  }

  async call(runId: string, toolCallId: string): Promise<CallRecord | undefined> {
    return structuredClone(this.#runs.get(runId)?.calls.get(toolCallId));
  }

  async forget(which: Parameters<LedgerStore["forget"]>[0]): Promise<number> {
    let forgotten = 0;
    for (const stored of this.#runs.values()) {
      const { runId, sessionKey, openedAt } = stored.record;
      const isMeant =
        "runId" in which
          ? which.runId === runId
          : "sessionKey" in which
            ? which.sessionKey === sessionKey
            : openedAt < which.before;
      if (isMeant && stored.held === undefined) forgotten += this.#forget(stored);
    }
    return forgotten;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { held } of this.#runs.values()) held?.ended.resolve();
  }

  #mustBeOpen(): void {
    if (this.#closed) throw ledgerUnavailableError("its store is closed");
  }

  #wanted({ resume, sessionKey, facts }: RunOpening): StoredRun | undefined {
    if (resume === undefined) return undefined;
    const isSameSession = ({ record }: StoredRun) =>
      record.sessionKey === sessionKey && record.facts.agentId === facts.agentId;
    if (resume === true) return [...this.#runs.values()].findLast(isSameSession);
    const named = this.#runs.get(resume);
    if (named === undefined || !isSameSession(named)) throw runNotFoundError(resume, sessionKey);
    return named;
  }

  #begin({ sessionKey, runId: named, ...opening }: RunOpening): LedgerRun {
    const openedAt = Date.now();
    const described = { sessionKey, ...describedBy(opening) };
    const runId = named === undefined || this.#runs.has(named) ? newRunId() : named;
    const record: RunRecord = { runId, ...described, openedAt, epoch: 1 };
    const stored: StoredRun = { record, calls: new Map(), held: undefined };
    this.#runs.set(record.runId, stored);
    return this.#hold(stored, openedAt);
  }

  #continue(stored: StoredRun, opening: RunOpening): LedgerRun {
    const { closedAt: _, openedWith: _before, ...before } = stored.record;
    const described = describedBy(opening);
    stored.record = { ...before, ...described, epoch: before.epoch + 1 };
    const now = Date.now();
    for (const [id, call] of stored.calls) stored.calls.set(id, toInterruptedCall(call, now));
    return this.#hold(stored, now);
  }

  #hold(stored: StoredRun, since: number): LedgerRun {
    stored.held = { loses: new AbortController(), ended: Promise.withResolvers() };
    stored.record = { ...stored.record, heldBy: { ...thisProcess(), since } };
    return new MemoryRun(stored, () => this.#mustBeOpen());
  }

  #forget(stored: StoredRun): number {
    const { calls, record } = stored;
    const before = calls.size;
    for (const [id, { status }] of calls) if (status !== "pending") calls.delete(id);
    if (calls.size === 0) this.#runs.delete(record.runId);
    return before - calls.size;
  }
}

class MemoryRun implements LedgerRun {
  readonly record: RunRecord;
  readonly past: LedgerRun["past"];
  readonly lease: Lease;
  readonly #stored: StoredRun;
  readonly #mustBeOpen: () => void;

  constructor(stored: StoredRun, mustBeOpen: () => void) {
    this.#stored = stored;
    this.#mustBeOpen = mustBeOpen;
    this.record = structuredClone(stored.record);
    this.past = Array.from(stored.calls.values(), (call) => structuredClone(toPastCall(call)));
    const { loses } = stored.held!;
    this.lease = {
      epoch: stored.record.epoch,
      endsAt: Number.POSITIVE_INFINITY,
      lost: loses.signal,
      check: () => this.#mustHold(),
    };
  }

  write(calls: readonly CallRecord[]): void {
    this.#mustBeOpen();
    this.#mustHold();
    // Copies first, so that an uncopyable call prevents the whole write.
    for (const call of structuredClone(calls)) this.#stored.calls.set(call.toolCallId, call);
  }

  async read(toolCallId: string): Promise<CallRecord | undefined> {
    return structuredClone(this.#stored.calls.get(toolCallId));
  }

  async close(): Promise<void> {
    if (!this.#holds()) return;
    const { heldBy: _, ...record } = this.#stored.record;
    this.#stored.record = { ...record, closedAt: Date.now() };
    this.#stored.held?.ended.resolve();
    this.#stored.held = undefined;
  }

  #holds(): boolean {
    return this.#stored.held !== undefined && this.#stored.record.epoch === this.record.epoch;
  }

  #mustHold(): void {
    if (!this.#holds()) throw leaseLostError(this.record, "it was closed here or resumed elsewhere");
  }
}

function thisProcess(): RunHolder {
  return { host: hostname(), pid: process.pid, started: Math.round(performance.timeOrigin) };
}

function describedBy({ facts, workspace, mode, openedWith }: Omit<RunOpening, "sessionKey">) {
  return structuredClone({ facts, workspace, mode, ...(openedWith && { openedWith }) });
}
