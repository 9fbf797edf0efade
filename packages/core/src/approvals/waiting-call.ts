import { startTimer, type Timer } from "@haft/utils";
import type { ApprovalRequestRecord } from "../contract/approval-port.ts";
import type { ToolOutcome } from "../contract/result.ts";

export type Settlement =
  /** `elsewhere`: through the store, which delivers it to one call. */
  | { kind: "answered"; answer: unknown; elsewhere?: true }
  | { kind: "aborted" }
  | { kind: "ruled"; outcome?: ToolOutcome }
  | { kind: "late" }
  | { kind: "left" }
  /** The caller stopped waiting: the call never runs, but its request stays. */
  | { kind: "released" }
  | { kind: "failed"; thrown: unknown };

export interface RunningCall {
  readonly id: string;
  readonly answeredAs: string;
  readonly nesting: number;
  index: number;
  abort(reason: unknown): void;
  waitForOutcome(): Promise<ToolOutcome>;
}

interface Waiter extends RunningCall {
  readonly key: string;
  readonly deferredOutcome: Promise<unknown> | undefined;
}

/** Waits for the first of approver, store, abort and timeout. */
export class WaitingCall {
  readonly call: Waiter;
  readonly request: ApprovalRequestRecord;
  readonly settled: Promise<Settlement>;
  stored: Promise<void> = Promise.resolve();
  readonly #controller = new AbortController();
  readonly #resolve: (settlement: Settlement) => void;
  readonly #timer: Timer;
  isLeft = false;
  #isSettled = false;

  constructor(call: Waiter, request: ApprovalRequestRecord, timeoutMs: number) {
    this.call = call;
    this.request = request;
    const { promise, resolve } = Promise.withResolvers<Settlement>();
    this.settled = promise;
    this.#resolve = resolve;
    this.#timer = startTimer(() => this.settle({ kind: "late" }), timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  join(waiting: Map<string, WaitingCall>, outer: AbortSignal): void {
    const { approvalId } = this.request;
    waiting.set(approvalId, this);
    this.signal.addEventListener("abort", () => waiting.delete(approvalId));
    const onAbort = () => this.settle({ kind: "aborted" });
    if (outer.aborted) onAbort();
    else outer.addEventListener("abort", onAbort, { signal: this.signal });
  }

  unref(): void {
    this.#timer.unref();
  }

  settle(settlement: Settlement): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.isLeft = settlement.kind === "left";
    this.#timer.stop();
    this.#resolve(settlement);
    this.#controller.abort();
    return true;
  }
}
