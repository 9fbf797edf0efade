import type { ApprovalRequestRecord, ToolOutcome, ToolUpdate } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { setTimeout as sleep } from "node:timers/promises";
import { type QuestionRound, ClientQuestions } from "./client-questions.ts";
import { type ServedClient, runWithClient } from "./served-client.ts";

/** How long an answer that was given elsewhere takes to be heard of at most: stores that are files look each second. */
const HEARD_MS = 2_000;

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

/** What a call came to, as far as the request that brought it is concerned. */
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

  /** What it comes to now that it was decided, or answered. Of one that was answered before it waits: that it waits. */
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
   * What it has come to, when the same call is made again while it waits: it is looked whether it is decided for a moment, since that
   * was said to the client before it is heard here; one that is decided and runs is waited for.
   */
  async rejoin(session: Session): Promise<CallProgress> {
    const first = await this.#first;
    if (first.kind !== "waits") return first;
    const ended = this.ended.then((outcome): CallProgress => ({ kind: "ended", outcome }));
    const { approvalId } = first.outcome;
    const isUndecided = () => session.pendingApprovals().some((one) => one.approvalId === approvalId);
    const moment = sleep(HEARD_MS, undefined, { ref: false }).then(() => (isUndecided() ? first : ended));
    return Promise.race([ended, moment]);
  }

  setWaited(): void {
    this.#hasWaited = true;
  }

  /** Ends it as long as a request for it is not answered: whoever makes that may go away. */
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
