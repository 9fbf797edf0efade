import { signal } from "@preact/signals";
import type { CallRow, ApiError } from "../../src/wire/api.ts";
import { callApi } from "../client/request.ts";
import { catchUp } from "./catch-up.ts";
import { toApiError } from "./resource.ts";

/** Numbers without gaps allow separate blocks. */
const BLOCK = 200;
const MAX_BLOCKS = 60;

export class RunCalls {
  readonly runId: string;
  /** `seq` of the last call. */
  readonly count = signal(0);
  /** Increases with each change. */
  readonly version = signal(0);
  /** Calls without records, shown last. */
  readonly fresh = signal<readonly CallRow[]>([]);
  readonly error = signal<ApiError | undefined>(undefined);
  readonly #rows = new Map<number, CallRow>();
  readonly #seqs = new Map<string, number>();
  readonly #requests = new Map<number, AbortController>();
  #needed: readonly [from: number, to: number] = [1, 1];
  #changing = false;

  constructor(runId: string, count: number) {
    this.runId = runId;
    this.count.value = count;
  }

  /** From 1; absent during a fetch. */
  at(seq: number): CallRow | undefined {
    return this.#rows.get(seq) ?? this.fresh.value[seq - this.count.value - 1];
  }

  getPosition(toolCallId: string): number | undefined {
    const fresh = this.fresh.value.findIndex((row) => row.toolCallId === toolCallId);
    return this.#seqs.get(toolCallId) ?? (fresh < 0 ? undefined : this.count.value + fresh + 1);
  }

  getDepth(row: CallRow): number {
    let depth = 0;
    for (let parent = row.parentCallId; parent !== undefined && depth < 8; depth++) {
      const seq = this.#seqs.get(parent);
      parent = seq === undefined ? undefined : this.#rows.get(seq)?.parentCallId;
    }
    return depth;
  }

  /** Cancels requests for invisible calls. */
  ensureLoaded(from: number, to: number): void {
    this.#needed = [from, to];
    const [first, last] = [blockOf(from), blockOf(Math.max(from, to))];
    for (const [block, abort] of this.#requests) if (block < first - 1 || block > last + 1) abort.abort();
    for (let block = first; block <= last; block++) if (!this.#isThere(block)) void this.#fetch(block);
    if (this.#rows.size > MAX_BLOCKS * BLOCK) this.#forgetFar(first, last);
  }

  refetch(): void {
    this.error.value = undefined;
    this.ensureLoaded(...this.#needed);
  }

  put(row: CallRow): void {
    this.#set(row);
    if ((row.seq ?? 0) > this.count.value) this.count.value = row.seq!;
    this.#changed();
  }

  /** All calls may have changed. */
  forget(): void {
    for (const abort of this.#requests.values()) abort.abort();
    this.#requests.clear();
    this.#rows.clear();
    this.fresh.value = [];
    this.refetch();
    this.#changed();
  }

  #isThere(block: number): boolean {
    if (this.#requests.has(block)) return true;
    const last = Math.min(this.count.value, (block + 1) * BLOCK);
    for (let seq = block * BLOCK + 1; seq <= last; seq++) if (!this.#rows.has(seq)) return false;
    return true;
  }

  async #fetch(block: number): Promise<void> {
    const abort = new AbortController();
    this.#requests.set(block, abort);
    const query = { run: this.runId, order: "oldest", seq: block * BLOCK + 1, limit: BLOCK } as const;
    try {
      await catchUp(
        () => callApi("GET /api/calls", { query, signal: abort.signal }),
        ({ items }) => {
          for (const row of items) this.#set(row);
          const last = items.at(-1)?.seq ?? 0;
          if (last > this.count.value) this.count.value = last;
        },
        (event) => {
          if (event.type === "call" && event.call.runId === this.runId) this.put(event.call);
        },
      );
      this.error.value = undefined;
    } catch (thrown) {
      if (!abort.signal.aborted) this.error.value = toApiError(thrown);
    } finally {
      if (this.#requests.get(block) === abort) this.#requests.delete(block);
      this.#changed();
    }
  }

  #set(row: CallRow): void {
    const { seq, toolCallId } = row;
    const fresh = this.fresh.value.findIndex((each) => each.toolCallId === toolCallId);
    const recorded = this.#seqs.get(toolCallId);
    if (seq === undefined && recorded !== undefined) {
      // Ended calls do not run again.
      if (this.#rows.get(recorded)?.endedAt === undefined)
        this.#rows.set(recorded, { ...row, seq: recorded });
      return;
    }
    if (seq === undefined) {
      this.fresh.value = fresh < 0 ? [...this.fresh.value, row] : this.fresh.value.with(fresh, row);
      return;
    }
    if (fresh >= 0) this.fresh.value = this.fresh.value.toSpliced(fresh, 1);
    this.#rows.set(seq, row);
    this.#seqs.set(toolCallId, seq);
  }

  #forgetFar(first: number, last: number): void {
    for (const [seq, row] of this.#rows) {
      const block = blockOf(seq);
      if (block >= first - 10 && block <= last + 10) continue;
      this.#rows.delete(seq);
      this.#seqs.delete(row.toolCallId);
    }
  }

  /** Once per frame. */
  #changed(): void {
    if (this.#changing) return;
    this.#changing = true;
    requestAnimationFrame(() => {
      this.#changing = false;
      this.version.value++;
    });
  }
}

function blockOf(seq: number): number {
  return Math.floor((Math.max(1, seq) - 1) / BLOCK);
}
