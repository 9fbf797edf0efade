import { getErrorMessage } from "@haft/core";
import { stateFile } from "@haft/host/internal/store";
import { escapeInvisible } from "@haft/utils";
import { statSync, watch } from "node:fs";
import { dirname } from "node:path";
import type { SourceEvent } from "../../source/inspector-source.ts";
import type { PendingApprovals } from "../approvals/pending-approvals.ts";
import { callRow, type CallWithRun } from "../calls/call-row.ts";
import type { InspectionContext } from "../inspection-context.ts";
import { toRunView } from "../runs/run-view.ts";

/** Check intervals: minimum, idle, server. */
const SOON_MS = 50;
const FILE_MS = 250;
const SERVER_MS = 1_000;
/** Calls per check; the page fetches others. */
const CALLS = 200;
const RUNS = 50;
/** Open calls, checked one by one. */
const MAX_OPEN = 200;

type Notify = (event: SourceEvent) => void;

/** Polls other programs' records, and files only after changes; returns a function that stops it. */
export function followStored(
  looking: InspectionContext,
  waiting: PendingApprovals,
  notify: Notify,
): () => void {
  const store = new FollowedStore(looking, waiting, notify);
  return () => store.end();
}

class FollowedStore {
  readonly #looking: InspectionContext;
  readonly #waiting: PendingApprovals;
  readonly #notify: Notify;
  readonly #file: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stamp = "";
  #isOver = false;
  #isLooking = false;
  #again = false;
  #hasNotified = false;
  /** Grows with the host's own time. */
  #soonMs = SOON_MS;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #problem = "";
  /** State by run and id; the first check reports nothing. */
  #calls: Map<string, string> | undefined;
  readonly #open = new Map<string, CallWithRun>();
  #runs: Map<string, string> | undefined;
  #requests: Map<string, string> | undefined;
  #watcher: { close(): void } | undefined;

  constructor(looking: InspectionContext, waiting: PendingApprovals, notify: Notify) {
    this.#looking = looking;
    this.#waiting = waiting;
    this.#notify = (event) => {
      this.#hasNotified = true;
      notify(event);
    };
    const { stateDir, isShared } = looking.internals;
    this.#file = isShared || stateDir === undefined ? undefined : stateFile(stateDir);
    this.#watch();
    void this.#check();
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#watcher?.close();
  }

  /** Notifications only speed up polling. */
  #watch(): void {
    if (this.#file === undefined) return;
    try {
      const watcher = watch(dirname(this.#file), { persistent: false }, () => this.#checkSoon());
      watcher.on("error", () => watcher.close());
      this.#watcher = watcher;
    } catch {
      // The folder does not exist yet.
    }
  }

  /** A call changes files several times. */
  #checkSoon(): void {
    if (this.#isOver || this.#again) return;
    this.#again = true;
    if (!this.#isLooking) this.#checkAfter(this.#lookedAt + this.#soonMs - performance.now());
  }

  #checkAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#check(), Math.max(0, ms)).unref();
  }

  async #check(): Promise<void> {
    this.#isLooking = true;
    this.#again = false;
    this.#hasNotified = false;
    try {
      if (!this.#looking.hasStoredLedger()) this.#beginWithNothing();
      else if (this.#hasChanged()) await this.#notifyChanges();
      this.#problem = "";
    } catch (thrown) {
      this.#stamp = "";
      this.#notifyProblem(getErrorMessage(thrown));
    }
    this.#isLooking = false;
    this.#lookedAt = performance.now();
    this.#soonMs = this.#hasNotified ? SOON_MS : Math.min(this.#soonMs * 2, FILE_MS);
    if (this.#isOver) return;
    this.#checkAfter(this.#again ? this.#soonMs : this.#file === undefined ? SERVER_MS : FILE_MS);
  }

  #beginWithNothing(): void {
    this.#calls ??= new Map();
    this.#runs ??= new Map();
    this.#requests ??= new Map();
  }

  #hasChanged(): boolean {
    if (this.#file === undefined) return true;
    if (this.#watcher === undefined) this.#watch();
    const stamp = [this.#file, `${this.#file}-wal`].map(stampOf).join(" ");
    if (stamp === this.#stamp) return false;
    this.#stamp = stamp;
    return true;
  }

  #notifyProblem(message: string): void {
    if (message === this.#problem) return;
    this.#problem = message;
    const problem = `The records cannot be read, and the inspector tries again: ${escapeInvisible(message)}`;
    this.#notify({ type: "notice", about: "store", level: "error", message: problem });
  }

  async #notifyChanges(): Promise<void> {
    await this.#notifyCalls();
    await this.#notifyRuns();
    await this.#notifyRequests();
  }

  async #notifyCalls(): Promise<void> {
    const ledger = this.#looking.ledger();
    const { items } = await ledger.calls({ limit: CALLS });
    const isFirst = this.#calls === undefined;
    const before = this.#calls ?? new Map<string, string>();
    const now = new Map<string, string>();
    const fresh: CallWithRun[] = [];
    for (const call of items.toReversed()) {
      const key = keyOf(call);
      const standing = standingOf(call);
      now.set(key, standing);
      if (before.get(key) !== standing) fresh.push(call);
      if (isOpen(call)) this.#open.set(key, call);
      else this.#open.delete(key);
    }
    this.#calls = now;
    for (const [key, call] of this.#open) {
      if (now.has(key)) continue;
      const found = await ledger.call(call.runId, call.toolCallId);
      if (found !== undefined && isOpen(found)) continue;
      this.#open.delete(key);
      if (found !== undefined) fresh.push({ ...found, runId: call.runId, sessionKey: call.sessionKey });
    }
    for (const key of [...this.#open.keys()].slice(0, -MAX_OPEN)) this.#open.delete(key);
    if (isFirst) return;
    if (items.length === CALLS && before.size > 0 && ![...now.keys()].some((key) => before.has(key)))
      return this.#notify({ type: "reset", why: "behind" });
    for (const call of fresh)
      if (this.#looking.live(call.runId) === undefined) this.#notify({ type: "call", call: callRow(call) });
  }

  async #notifyRuns(): Promise<void> {
    const { items } = await this.#looking.recorded().runs({ limit: RUNS });
    const isFirst = this.#runs === undefined;
    const before = this.#runs ?? new Map<string, string>();
    const now = new Map<string, string>();
    for (const record of items) {
      const { runId, epoch, closedAt, heldBy } = record;
      if (this.#looking.live(runId) !== undefined) continue;
      const standing = JSON.stringify([epoch, closedAt, heldBy?.pid, heldBy?.host]);
      now.set(runId, standing);
      if (!isFirst && before.get(runId) !== standing)
        this.#notify({ type: "run", run: await toRunView(this.#looking, record) });
    }
    this.#runs = now;
  }

  async #notifyRequests(): Promise<void> {
    const requests = await this.#waiting.requests();
    const isFirst = this.#requests === undefined;
    const before = this.#requests ?? new Map<string, string>();
    const now = new Map<string, string>();
    for (const request of requests) {
      const { approvalId, runId, attended = true } = request;
      if (runId !== undefined && this.#looking.live(runId) !== undefined) continue;
      now.set(approvalId, String(attended));
      if (!isFirst && before.get(approvalId) !== String(attended))
        this.#notify({ type: "approval", approval: await this.#waiting.toApproval(request) });
    }
    for (const approvalId of before.keys()) {
      if (now.has(approvalId)) continue;
      const { state, decision, by } = await this.#waiting.getConflict(approvalId);
      this.#notify({
        type: "approval-over",
        approvalId,
        state,
        ...(decision !== undefined && { decision }),
        ...(by !== undefined && { by }),
      });
    }
    await this.#looking.guarded.settle();
    this.#requests = now;
  }
}

function keyOf({ runId, toolCallId }: CallWithRun): string {
  return `${runId} ${toolCallId}`;
}

function standingOf({ status, outcome, endedAt, approvalId }: CallWithRun): string {
  return `${status} ${outcome} ${endedAt} ${approvalId}`;
}

function isOpen({ status }: Pick<CallWithRun, "status">): boolean {
  return status === "pending" || status === "executing";
}

function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.ino}:${found.size}:${found.mtimeMs}`;
}
