import type { ApprovalAnswer, ApprovalRequestRecord } from "../contract/approval-port.ts";
import type { Call } from "../kernel/call.ts";
import { startTimer } from "../time/timer.ts";

/** How waiting ended. */
export type Settlement =
  | { kind: "answered"; answer: unknown }
  | { kind: "aborted" }
  | { kind: "late" }
  | { kind: "failed"; thrown: unknown };

/**
 * A call that waits for a decision. Whoever is first decides it: the approver, somebody elsewhere, an abort, the
 * clock. All later ones are told that they came too late.
 */
export class WaitingCall {
  readonly call: Call;
  readonly request: ApprovalRequestRecord;
  readonly settled: Promise<Settlement>;
  /** Settles when the store has the request, or has failed to take it. */
  stored: Promise<void> = Promise.resolve();
  readonly #controller = new AbortController();
  readonly #resolve: (settlement: Settlement) => void;
  readonly #timer: ReturnType<typeof setTimeout>;
  #isSettled = false;

  constructor(call: Call, request: ApprovalRequestRecord, timeoutMs: number) {
    this.call = call;
    this.request = request;
    const { promise, resolve } = Promise.withResolvers<Settlement>();
    this.settled = promise;
    this.#resolve = resolve;
    this.#timer = startTimer(() => this.settle({ kind: "late" }), timeoutMs);
    call.session.waiting.set(request.approvalId, this);
    const outer = signalOf(call);
    const onAbort = () => this.settle({ kind: "aborted" });
    if (outer.aborted) onAbort();
    else outer.addEventListener("abort", onAbort, { signal: this.#controller.signal });
  }

  /** Aborts as soon as it is decided: nobody else need be asked any more. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Nobody stays for it: it may be decided later, or never. */
  letGo(): void {
    this.#timer.unref();
  }

  /** False when it was decided before. */
  settle(settlement: Settlement): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.call.session.waiting.delete(this.request.approvalId);
    this.#resolve(settlement);
    this.#controller.abort();
    return true;
  }

  answer(answer: ApprovalAnswer): boolean {
    return this.settle({ kind: "answered", answer });
  }
}

/** Aborts when the call or what it is part of is aborted. */
export function signalOf({ controller, options }: Call): AbortSignal {
  return options.signal ? AbortSignal.any([controller.signal, options.signal]) : controller.signal;
}
