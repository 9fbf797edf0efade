import type { ToolOutcome } from "@haft/core";
import type { CallRecord, LedgerRun } from "@haft/core/internal";
import type { Machine } from "./machine.ts";
import { currentMachine, type World } from "./world.ts";

/** A call as whoever wanted it knows it, and what it did. */
export interface TrackedCall {
  readonly id: string;
  readonly session: string;
  /** Times that it was handed to a host. */
  delivered: number;
  begun: number;
  finished: number;
  /** How it was answered, each time it was delivered. */
  readonly answers: ToolOutcome[];
}

/** What must hold, kept beside everything by somebody who sees all machines at once. */
export class InvariantChecker {
  readonly world: World;
  readonly calls = new Map<string, TrackedCall>();
  /** What did not hold. */
  readonly broken: string[] = [];
  readonly counts: Record<string, number> = {};
  readonly #bySession = new Map<string, TrackedCall[]>();
  readonly #holders = new Map<string, { machine: Machine; run: LedgerRun }[]>();

  constructor(world: World) {
    this.world = world;
  }

  count(what: string, by = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + by;
  }

  recordRequest(id: string, session: string): TrackedCall {
    const known = this.calls.get(id);
    if (known !== undefined) {
      this.count("delivered again");
      known.delivered += 1;
      return known;
    }
    this.count("calls");
    const call: TrackedCall = { id, session, delivered: 1, begun: 0, finished: 0, answers: [] };
    this.calls.set(id, call);
    this.#bySession.set(session, [...(this.#bySession.get(session) ?? []), call]);
    return call;
  }

  recordStart(id: string, node: string): void {
    const call = this.calls.get(id)!;
    call.begun += 1;
    this.count("begun");
    this.world.trace(() => `${node} begins ${id}`);
    if (call.begun > 1) this.#breaks(`${id} was begun ${call.begun} times`);
  }

  recordFinish(id: string): void {
    this.calls.get(id)!.finished += 1;
  }

  recordAnswer(call: TrackedCall, outcome: ToolOutcome): void {
    call.answers.push(outcome);
    const code = "code" in outcome ? outcome.code : "";
    this.world.trace(() => `${call.id} is answered: ${outcome.kind} ${code} ${outcome.receipt}`);
    if (outcome.replayed === true) this.count("answered from the ledger");
    else if (outcome.kind === "ok") this.count("ended well");
    else this.count(outcome.receipt === "unknown" ? "unknown" : "refused");
    if (outcome.kind !== "ok" && code !== "") this.count(`  ${code}`);
  }

  /** Somebody has the run of a session: nobody else may act for it any more. */
  recordHolder(session: string, machine: Machine, run: LedgerRun): void {
    const before = this.#holders.get(session) ?? [];
    this.world.trace(() => `${machine.name} has ${session} (${run.record.runId}, epoch ${run.record.epoch})`);
    if (run.record.epoch > 1)
      this.count(run.past.some(({ status }) => status === "gap") ? "taken over" : "continued");
    const holding = before.filter(({ machine: other, run: otherRun }) => {
      if (!other.isAlive || otherRun === run) return false;
      try {
        currentMachine.run(other, () => otherRun.lease.check());
        return true;
      } catch {
        return false;
      }
    });
    for (const { machine: other } of holding)
      this.#breaks(`${session} is held by ${other.name} and by ${machine.name} at once`);
    this.#holders.set(session, [...holding, { machine, run }]);
  }

  /** Compares all that was seen with what the ledger says once everything is over. */
  compare(session: string, records: readonly CallRecord[]): void {
    const byId = new Map<string, CallRecord[]>();
    for (const record of records) {
      const id = record.answeredAs ?? record.toolCallId;
      byId.set(id, [...(byId.get(id) ?? []), record]);
      if (record.status === "executing" || record.status === "pending")
        this.#breaks(`${record.toolCallId} is ${record.status} in the ledger, and nobody runs it`);
      if (record.status !== "gap" && !this.calls.has(id))
        this.#breaks(`the ledger has ${id}, which nobody called`);
    }
    for (const call of this.#bySession.get(session) ?? []) this.#compareOne(call, byId.get(call.id) ?? []);
  }

  #compareOne(call: TrackedCall, records: readonly CallRecord[]): void {
    const { id, begun, answers } = call;
    const isUnknown = records.some(({ receipt }) => receipt === "unknown");
    const isOk = records.some(({ outcome }) => outcome === "ok");
    if (begun > 0 && !isUnknown && !isOk && !records.some(({ receipt }) => receipt === "committed"))
      this.#breaks(`${id} was begun, and the ledger does not say so: ${shown(records)}`);
    if (begun === 0 && isOk) this.#breaks(`${id} ended well in the ledger, and never began`);
    for (const { kind, receipt } of answers) {
      if (kind === "ok" && begun === 0) this.#breaks(`${id} was answered well, and never began`);
      if (kind === "ok" && !isOk && !isUnknown)
        this.#breaks(`${id} was answered well, and is lost: ${shown(records)}`);
      if (receipt === "unknown" && !isUnknown && !isOk)
        this.#breaks(`${id} is unknown to whoever called it, and the ledger says: ${shown(records)}`);
    }
    // Whoever was told that nothing happened has to be right, where that was the only time it was delivered.
    const [only] = answers;
    const isAnother = only !== undefined && "code" in only && only.code === "DUPLICATE_CALL_ID";
    if (only?.receipt === "none" && !isAnother && call.delivered === 1 && begun > 0)
      this.#breaks(`${id} was answered as not begun, and it was`);
  }

  /** One batch after the other: whoever was replaced has written nothing since. */
  compareHolders(subject: string, holders: readonly string[]): void {
    const removed = new Set<string>();
    for (const [at, holder] of holders.entries()) {
      if (removed.has(holder)) return this.#breaks(`${subject} has a write of a holder that was replaced`);
      if (at > 0 && holders[at - 1] !== holder) removed.add(holders[at - 1]!);
    }
  }

  #breaks(what: string): void {
    this.world.trace(() => `BROKEN: ${what}`);
    if (!this.broken.includes(what)) this.broken.push(what);
  }
}

function shown(records: readonly CallRecord[]): string {
  const each = records.map(({ status, outcome, code, receipt, epoch }) =>
    [status, outcome, code, receipt, `epoch ${epoch}`].filter(Boolean).join(" "),
  );
  return each.length === 0 ? "nothing" : each.join("; ");
}
