import type { PastCall } from "../contract/ledger-port.ts";
import { HashIndex } from "./hash-index.ts";

/** Limits repeated calls without progress: `warn` warns the model, `block` blocks calls. */
export interface LoopLimits {
  /** Limits calls with equal arguments and results. Default 5 / 10. */
  repeat: { warn: number; block: number };
  /** Limits equal calls of a tool that polls. Default 10 / 20. */
  poll: { warn: number; block: number };
  /** Limits calls in a short cycle (A, B, A, B …) with equal results. Default 8 / 14. */
  cycle: { warn: number; block: number };
  /** Limits consecutive calls without any new result. Default 30. */
  breaker: number;
}

export const DEFAULT_LOOP_LIMITS: LoopLimits = {
  repeat: { warn: 5, block: 10 },
  poll: { warn: 10, block: 20 },
  cycle: { warn: 8, block: 14 },
  breaker: 30,
};

export interface LoopFinding {
  kind: "warn" | "block";
  code: "LOOP_REPEAT" | "LOOP_CYCLE";
  message: string;
}

export interface LoopRecord {
  readonly key: string;
  lastId: string;
  succeeded: boolean;
  running: number;
  streak: number;
  isPoll: boolean;
  readonly changesWorld: boolean;
  fingerprint: string;
  worldVersion: number;
  progress: number;
  ranAt: number;
}

export interface CallTraits {
  isPoll: boolean;
  changesWorld: boolean;
}

const MAX_CYCLE = 4;
const WINDOW = 40;
const RECHECK_MS = 30_000;
/** A call that waits for a change of the world sees it a few seconds later. */
const POLL_RECHECK_MS = 3_000;
/** A call that runs this long counts as a wait, for example `sleep 1`. */
const WAITING_MS = 500;

/**
 * Detects loops. An index by call key makes each check independent of the number of calls.
 *
 * A new successful call, or a new result, is progress. Volatile fields do not count. Counts restart after a file change, since tests follow
 * each edit.
 */
export class LoopGuard {
  readonly #limits: LoopLimits;
  readonly #records: HashIndex<LoopRecord>;
  /** Latest calls, oldest first, at most twice the window size. `stale`: the result was known. */
  readonly #window: { key: string; stale: boolean }[] = [];
  #withoutProgress = 0;
  #progress = 0;
  #worldVersion = 0;
  #stoppedCycle: ReadonlySet<string> | undefined;

  constructor(limits: LoopLimits = DEFAULT_LOOP_LIMITS, memory = 100_000) {
    this.#limits = limits;
    this.#records = new HashIndex<LoopRecord>((record) => record.key, memory);
  }

  restore(past: readonly PastCall[]): void {
    for (const call of past) {
      const { key, endedAt, fingerprint, code = "" } = call;
      if (key === undefined || endedAt === undefined) continue;
      const traits = { isPoll: call.poll === true, changesWorld: call.changes === true };
      if (fingerprint !== undefined) {
        const record = this.start(key, call.toolCallId, traits);
        this.finish(record, call.toolCallId, call.outcome === "ok", fingerprint, endedAt);
      } else if (code === "DUPLICATE_CALL" || code.startsWith("LOOP_")) this.recordStopped(key, code);
      else this.refuse(key, call.toolCallId, traits, code, endedAt);
    }
  }

  find(key: string): LoopRecord | undefined {
    return this.#records.get(key);
  }

  check(key: string): LoopFinding | undefined {
    const record = this.#records.get(key);
    if (record === undefined) return undefined;
    const mayHaveChanged = Date.now() - record.ranAt >= (record.isPoll ? POLL_RECHECK_MS : RECHECK_MS);
    if (mayHaveChanged) return undefined;
    if (this.#stoppedCycle?.has(key)) return finding("block", "cycle", this.#stoppedCycle.size);
    if (this.#withoutProgress >= this.#limits.breaker) {
      return finding("block", "breaker", this.#withoutProgress);
    }
    const { isPoll } = record;
    const limit = isPoll ? this.#limits.poll : this.#limits.repeat;
    if (record.streak >= limit.block && !this.#mayRunAgain(record)) {
      return finding("block", isPoll ? "poll" : "repeat", record.streak);
    }
    const cycle = this.#cycleEndingWith(key);
    return cycle && cycle.length >= this.#limits.cycle.block
      ? finding("block", "cycle", cycle.keys.length)
      : undefined;
  }

  /** Counts a stopped call. Its latest run stays the record. */
  recordStopped(key: string, code: string): void {
    if (code === "LOOP_CYCLE") this.#stoppedCycle ??= new Set(this.#cycleEndingWith(key)?.keys);
    const record = this.#records.get(key);
    if (record && record.streak > 0) record.streak++;
    this.#note(key, true, "none");
  }

  #mayRunAgain(record: LoopRecord): boolean {
    if (record.worldVersion !== this.#worldVersion) return true;
    return record.isPoll && record.progress !== this.#progress;
  }

  start(key: string, toolCallId: string, traits: CallTraits): LoopRecord {
    const known = this.#records.get(key);
    const record = known ?? {
      key,
      lastId: toolCallId,
      succeeded: false,
      running: 0,
      streak: 0,
      isPoll: traits.isPoll,
      changesWorld: traits.changesWorld,
      fingerprint: "",
      worldVersion: this.#worldVersion,
      progress: this.#progress,
      ranAt: 0,
    };
    if (known === undefined) this.#records.add(record);
    record.running++;
    return record;
  }

  finish(
    record: LoopRecord,
    toolCallId: string,
    succeeded: boolean,
    fingerprint: string,
    at = Date.now(),
    durationMs = 0,
  ): LoopFinding | undefined {
    record.running--;
    // The caller had not seen the result of the other call when it made this call.
    const isParallel = record.streak > 0 && at - durationMs < record.ranAt - 1;
    if (durationMs >= WAITING_MS) record.isPoll = true;
    const isNew = record.streak === 0;
    const sameResult = !isNew && record.fingerprint === fingerprint;
    const stale = sameResult && record.worldVersion === this.#worldVersion;
    if (!(stale && isParallel)) record.streak = stale ? record.streak + 1 : 1;
    if (succeeded && !sameResult && record.changesWorld) this.#worldVersion++;
    record.worldVersion = this.#worldVersion;
    record.fingerprint = fingerprint;
    record.lastId = toolCallId;
    record.succeeded = succeeded;
    if (!(stale && isParallel)) this.#note(record.key, stale, stale || !succeeded ? "none" : "made");
    record.progress = this.#progress;
    record.ranAt = at;
    return stale && !isParallel ? this.#warning(record) : undefined;
  }

  refuse(
    key: string,
    toolCallId: string,
    traits: CallTraits,
    code: string,
    at?: number,
  ): LoopFinding | undefined {
    const record = this.start(key, toolCallId, traits);
    const { lastId, succeeded } = record;
    const warning = this.finish(record, toolCallId, false, `!${code}`, at);
    Object.assign(record, { lastId, succeeded });
    return warning;
  }

  #note(key: string, stale: boolean, progress: "made" | "none"): void {
    this.#window.push({ key, stale });
    if (this.#window.length === WINDOW * 2) this.#window.splice(0, WINDOW);
    if (progress === "none") {
      this.#withoutProgress++;
      return;
    }
    this.#withoutProgress = 0;
    this.#progress++;
    if (!this.#stoppedCycle?.has(key)) this.#stoppedCycle = undefined;
  }

  #warning(record: LoopRecord): LoopFinding | undefined {
    const { isPoll } = record;
    const limit = isPoll ? this.#limits.poll : this.#limits.repeat;
    if (record.streak >= limit.warn) {
      return finding("warn", isPoll ? "poll" : "repeat", record.streak);
    }
    const cycle = this.#cycleEndingWith();
    if (cycle && cycle.length >= this.#limits.cycle.warn) return finding("warn", "cycle", cycle.keys.length);
    return undefined;
  }

  /** Finds the longest cycle of 2 to 4 stale calls at the end of the window, before `next`. */
  #cycleEndingWith(next?: string): { keys: string[]; length: number } | undefined {
    const window = this.#window.slice(-WINDOW);
    const keyAt = (index: number) => (index === window.length ? next : window[index]?.key);
    const end = next === undefined ? window.length : window.length + 1;
    for (let period = 2; period <= MAX_CYCLE && period * 2 <= end; period++) {
      const keys = Array.from({ length: period }, (_, i) => keyAt(end - 1 - i)!);
      if (new Set(keys).size < period) continue;
      let length = period;
      while (end - 1 - length >= 0 && keyAt(end - 1 - length) === keyAt(end - 1 - length + period)) {
        const later = window[end - 1 - length + period];
        if (later && !later.stale) break;
        length++;
      }
      if (length >= period * 2) return { keys, length };
    }
    return undefined;
  }
}

function finding(kind: LoopFinding["kind"], limit: keyof LoopLimits, count: number): LoopFinding {
  const code = limit === "cycle" ? "LOOP_CYCLE" : "LOOP_REPEAT";
  return { kind, code, message: MESSAGES[limit](count, kind) };
}

const MESSAGES: Record<keyof LoopLimits, (count: number, kind: LoopFinding["kind"]) => string> = {
  repeat: (count, kind) =>
    kind === "warn"
      ? `This exact call has now given the same result ${count} times. Change the arguments or the approach.`
      : `This exact call gave the same result ${count} times and was not run again. Change the arguments, ` +
        "try another tool, or tell the user about the problem. After half a minute it may run again once.",
  poll: (count, kind) =>
    kind === "warn"
      ? `Polled ${count} times without a new result. Wait longer between polls, or check something else.`
      : `Polled ${count} times without a new result; this poll did not run. Wait some seconds first (process poll with a timeout, or until … sleep), or do something else.`,
  cycle: (count, kind) =>
    kind === "warn"
      ? `The last calls form a cycle of ${count} calls with the same results. Try something different.`
      : `These ${count} calls form a cycle with the same results. They do not run until another call makes ` +
        "progress, or half a minute has passed. Try something different, or tell the user about the problem.",
  breaker: (count) =>
    `The last ${count} calls returned nothing new, so repeated calls are refused. ` +
    "Make a new call, or tell the user about the problem. After half a minute each may run again once.",
};
