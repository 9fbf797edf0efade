import { contentToText, type ToolOutcome, type ToolResult } from "@haft/core";
import { asRecord } from "@haft/utils";
import type {
  CallToolResult,
  ClientCapabilities,
  InputRequiredResult,
  InputRequests,
  Server,
  ServerContext,
} from "@modelcontextprotocol/server";
import { mcpError } from "../../errors.ts";
import type { McpConversation } from "../conversation.ts";
import * as sdk from "../sdk.ts";
import { adaptToClient } from "./adapt-to-client.ts";
import { toClientAnswer, approvalForm, type FormResponse } from "./ask-client.ts";
import type { CallState, CallStates } from "./call-state.ts";
import { CLIENT_ANSWER_MS, type QuestionRound } from "./client-questions.ts";
import type { McpLiveCall, CallProgress, RequestedCall } from "./live-call.ts";
import { isSameCall } from "./waiting-calls.ts";

/** Key of the approval among a request's questions. */
const APPROVAL = "approval";

const CAPABILITIES = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
} as const;

type Answer = CallToolResult | InputRequiredResult;
type Waits = Extract<CallProgress, { kind: "waits" }>;

export class McpCallRequest {
  readonly #conversation: McpConversation;
  readonly #server: Server;
  readonly #context: ServerContext;
  readonly #states: CallStates;
  /** Before 2026, servers ask over the connection of an open request. */
  readonly #isLegacy: boolean;

  constructor(
    conversation: McpConversation,
    {
      server,
      context,
      states,
      isLegacy,
    }: { server: Server; context: ServerContext; states: CallStates; isLegacy: boolean },
  ) {
    this.#conversation = conversation;
    this.#server = server;
    this.#context = context;
    this.#states = states;
    this.#isLegacy = isLegacy;
  }

  async begin(wanted: RequestedCall): Promise<Answer> {
    const finished = this.#conversation.fetchOutcome(wanted);
    if (finished !== undefined) return finished;
    const waiting = await this.#conversation.joinWaiting(wanted);
    if (waiting !== undefined) return this.#answer(waiting.call, waiting.progress);
    const { signal, log } = this.#context.mcpReq;
    const progress = createProgress(this.#context);
    try {
      const call = await this.#conversation.begin(wanted, {
        signal,
        capabilities: this.#capabilities,
        onUpdate: progress.onUpdate,
        onLog: (level, data) => void log(level, data, "haft").catch(() => {}),
      });
      return await call.runWithSignal(signal, async () => this.#answer(call, await call.first()));
    } finally {
      progress.end();
    }
  }

  /** Continues a call with answers, so that the ledger contains it once. */
  async resume(wanted: RequestedCall, { call: id, round, approvalId }: CallState): Promise<Answer> {
    const call = this.#conversation.findRemembered(id);
    if (call === undefined || !isSameCall(call.requested, wanted))
      throw mcpError(
        "MCP_STATE_MISMATCH",
        "The request continues a different call or a call that is no longer known.",
      );
    const { signal, inputResponses = {} } = this.#context.mcpReq;
    const progress = createProgress(this.#context);
    try {
      return await call.runWithSignal(signal, async () => {
        if (approvalId === undefined) call.questions.answer(round ?? 0, inputResponses);
        else {
          const first = await call.first();
          if (first.kind === "waits")
            return this.#decide(call, first, inputResponses[APPROVAL] as FormResponse);
        }
        return this.#answer(call, await call.next());
      });
    } finally {
      progress.end();
    }
  }

  async #answer(call: McpLiveCall, progress: CallProgress): Promise<Answer> {
    if (progress.kind === "ended") {
      this.#requireCapabilities(progress.outcome);
      const result = this.#conversation.deliverResult(call, progress.outcome);
      return adaptToClient(result, this.#clientName);
    }
    this.#conversation.remember(call);
    return progress.kind === "asks" ? this.#ask(call, progress.round) : this.#seekApproval(call, progress);
  }

  async #seekApproval(call: McpLiveCall, waits: Waits): Promise<Answer> {
    call.setWaited();
    const { request, outcome } = waits;
    if (
      request === undefined ||
      !this.#canAsk("elicitation/create") ||
      !(await this.#conversation.canClientDecide())
    )
      return this.#conversation.toWaitingResult(call, outcome);
    const form = approvalForm(request);
    if (!this.#isLegacy)
      return sdk.inputRequired({
        inputRequests: { [APPROVAL]: sdk.inputRequired.elicit(form) },
        requestState: await this.#states.mint(
          { call: call.id, approvalId: outcome.approvalId },
          this.#context,
        ),
      });
    // Cancels the question if the call ends elsewhere.
    const elsewhere = new AbortController();
    void call.ended.then(() => elsewhere.abort());
    const { signal, elicitInput } = this.#context.mcpReq;
    const options = { signal: AbortSignal.any([signal, elsewhere.signal]), timeout: CLIENT_ANSWER_MS };
    return this.#decide(call, waits, await elicitInput(form, options).catch(() => undefined));
  }

  async #decide(call: McpLiveCall, { request, outcome }: Waits, response: FormResponse): Promise<Answer> {
    const mayDecide = request !== undefined && (await this.#conversation.canClientDecide());
    const answer = mayDecide ? toClientAnswer(request, response, this.#clientName) : undefined;
    if (answer === undefined) return this.#conversation.toWaitingResult(call, outcome);
    return this.#answer(call, await this.#conversation.decide(call, outcome.approvalId, answer));
  }

  async #ask(call: McpLiveCall, pendingRound: QuestionRound): Promise<Answer> {
    const lacks = Object.values(pendingRound.questions).filter(({ method }) => !this.#canAsk(method));
    if (lacks.length > 0)
      call.questions.fail(
        pendingRound,
        "does not support that request",
        lacks.map(({ method }) => CAPABILITIES[method]),
      );
    else if (this.#isLegacy) await this.#askNow(call, pendingRound);
    else
      return sdk.inputRequired({
        inputRequests: pendingRound.questions as unknown as InputRequests,
        requestState: await this.#states.mint({ call: call.id, round: pendingRound.round }, this.#context),
      });
    return this.#answer(call, await call.next());
  }

  /** Since 2026, an error names the capabilities that a tool requires. @throws the SDK's error for that */
  #requireCapabilities(outcome: ToolOutcome): void {
    const { capabilities } = outcome.details;
    if (this.#isLegacy || outcome.kind !== "error" || outcome.code !== "MCP_CLIENT_SILENT") return;
    if (!Array.isArray(capabilities)) return;
    const requiredCapabilities = Object.fromEntries(capabilities.map((name: string) => [name, {}]));
    throw new sdk.MissingRequiredClientCapabilityError(
      { requiredCapabilities },
      contentToText(outcome.content),
    );
  }

  async #askNow(call: McpLiveCall, pendingRound: QuestionRound): Promise<void> {
    const { signal, send: sendSome } = this.#context.mcpReq;
    const send = sendSome as (request: object, more: object) => Promise<unknown>;
    const options = { signal, timeout: CLIENT_ANSWER_MS };
    try {
      const answers = await Promise.all(
        Object.entries(pendingRound.questions).map(async ([name, question]) => [
          name,
          await send(question, options),
        ]),
      );
      call.questions.answer(pendingRound.round, Object.fromEntries(answers) as Record<string, unknown>);
    } catch {
      call.questions.fail(pendingRound, "failed to answer the request");
    }
  }

  /** Returns whether the client supports a question; bare `elicitation` means forms. */
  #canAsk(method: QuestionRound["questions"][string]["method"]): boolean {
    const { elicitation, sampling, roots } = this.#capabilities;
    if (method === "sampling/createMessage") return sampling !== undefined;
    if (method === "roots/list") return roots !== undefined;
    return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  }

  get #capabilities(): ClientCapabilities & Record<string, unknown> {
    const { envelope } = this.#context.mcpReq;
    const declared =
      envelope === undefined
        ? this.#server.getClientCapabilities()
        : asRecord(envelope)[sdk.CLIENT_CAPABILITIES_META_KEY];
    return asRecord(declared);
  }

  get #clientName(): string | undefined {
    const { envelope } = this.#context.mcpReq;
    if (envelope === undefined) return this.#server.getClientVersion()?.name;
    const { name } = asRecord(asRecord(envelope)[sdk.CLIENT_INFO_META_KEY]);
    return typeof name === "string" ? name : undefined;
  }
}

/** Updates without delay; later updates are LEAST_MS apart. */
const AT_ONCE = 10;
const LEAST_MS = 250;
/** Interval of progress for silent calls, because clients time out. */
const BEAT_MS = 5_000;
const MAX_LENGTH = 200;

function createProgress({ mcpReq }: ServerContext): {
  onUpdate: ((partial: ToolResult) => void) | undefined;
  end(): void;
} {
  const { _meta: { progressToken } = {} } = mcpReq;
  if (progressToken === undefined) return { onUpdate: undefined, end() {} };
  let progress = 0;
  let last = performance.now();
  const emit = (message?: string) => {
    last = performance.now();
    const params = { progressToken, progress: ++progress, ...(message && { message }) };
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
  const beat = setInterval(() => performance.now() - last >= BEAT_MS && emit(), BEAT_MS);
  beat.unref();
  return {
    onUpdate(partial) {
      if (performance.now() - last >= LEAST_MS || progress < AT_ONCE)
        emit(lastLine(contentToText(partial.content)));
    },
    end: () => clearInterval(beat),
  };
}

function lastLine(words: string): string {
  const end = words.trimEnd();
  return end
    .slice(end.lastIndexOf("\n") + 1)
    .slice(-MAX_LENGTH)
    .toWellFormed();
}
