import type { ApprovalRequestRecord, ToolOutcome, ToolUpdate } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { setTimeout as sleep } from "node:timers/promises";
import { type QuestionRound, ClientQuestions } from "./client-questions.ts";
import { type ServedClient, runWithClient } from "./served-client.ts";

/** Maximum delay of an external decision; file stores poll each second. */
const DECISION_DELAY_MS = 2_000;

export interface RequestedCall {
  readonly name: string;
  readonly arguments?: Record<string, unknown> | undefined;
}

export interface McpCaller {
  signal: AbortSignal;
  capabilities: ServedClient["capabilities"];
  onUpdate?: ToolUpdate | undefined;
  onLog?: ServedClient["log"] | undefined;
}

export type CallProgress =
  | { kind: "ended"; outcome: ToolOutcome }
  | {
      kind: "waits";
      outcome: Extract<ToolOutcome, { kind: "pending" }>;
      request: ApprovalRequestRecord | undefined;
    }
  | { kind: "asks"; round: QuestionRound };

export class McpLiveCall {
  readonly id: string;
  readonly requested: RequestedCall;
  readonly questions = new ClientQuestions();
  readonly #controller = new AbortController();
  readonly #ended = Promise.withResolvers<ToolOutcome>();
  readonly #first: Promise<CallProgress>;

  constructor(
    session: Session,
    { id, wanted, caller }: { id: string; wanted: RequestedCall; caller: McpCaller },
  ) {
    this.id = id;
    this.requested = wanted;
    const unsubscribe = session.subscribe((event) => {
      if (!("toolCallId" in event) || event.toolCallId !== id) return;
      if (event.type === "tool-warning")
        caller.onLog?.("warning", { code: event.code, message: event.message });
      if (event.type === "tool-end") end(event.outcome);
    });
    const end = (outcome: ToolOutcome) => {
      if (outcome.kind === "pending") return;
      unsubscribe();
      this.#ended.resolve(outcome);
    };
    const client: ServedClient = {
      capabilities: caller.capabilities,
      ask: (questions) => this.questions.ask(questions),
      log: (level, data) => caller.onLog?.(level, data),
    };
    const call = { id, name: wanted.name, arguments: wanted.arguments ?? {} };
    const options = {
      signal: this.#controller.signal,
      ...(caller.onUpdate && { onUpdate: caller.onUpdate }),
    };
    const calling = runWithClient(client, () => session.call(call, options));
    this.#first = calling.then((outcome): CallProgress => {
      end(outcome);
      if (outcome.kind !== "pending") return { kind: "ended", outcome };
      const request = session.pendingApprovals().find(({ approvalId }) => approvalId === outcome.approvalId);
      return { kind: "waits", outcome, request };
    });
  }

  get ended(): Promise<ToolOutcome> {
    return this.#ended.promise;
  }

  first(): Promise<CallProgress> {
    return Promise.race([this.#first, this.#asks()]);
  }

  /** Waits for the outcome, the next question, or the first report that the call waits. */
  async next(): Promise<CallProgress> {
    const first = this.first();
    const later = this.ended.then((outcome): CallProgress => ({ kind: "ended", outcome }));
    return this.#hasWaited ? Promise.race([later, this.#asks()]) : first;
  }

  #hasWaited = false;

  get hasWaited(): boolean {
    return this.#hasWaited;
  }

  /**
   * Returns the progress if the client repeats a waiting call; allows {@link DECISION_DELAY_MS} for a
   * decision that the client knows first, and awaits a decided call.
   */
  async rejoin(session: Session): Promise<CallProgress> {
    const first = await this.#first;
    if (first.kind !== "waits") return first;
    const ended = this.ended.then((outcome): CallProgress => ({ kind: "ended", outcome }));
    const { approvalId } = first.outcome;
    const isUndecided = () => session.pendingApprovals().some((one) => one.approvalId === approvalId);
    const moment = sleep(DECISION_DELAY_MS, undefined, { ref: false }).then(() =>
      isUndecided() ? first : ended,
    );
    return Promise.race([ended, moment]);
  }

  setWaited(): void {
    this.#hasWaited = true;
  }

  /** Aborts the call if its client cancels or disconnects. */
  async runWithSignal<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
    const abort = () => this.#controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    try {
      return await run();
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  async #asks(): Promise<CallProgress> {
    return { kind: "asks", round: await this.questions.next() };
  }
}
