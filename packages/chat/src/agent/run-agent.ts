import { getErrorMessage } from "@haft/core";
import { isStepCount, type ModelMessage, streamText } from "ai";
import { chatError } from "../errors.ts";
import type { AgentModel } from "../model/agent-model.ts";
import { watchModel } from "../model/watch-model.ts";
import { agentInstructions } from "./agent-instructions.ts";
import {
  type AgentEnd,
  type AgentEvent,
  type AgentOptions,
  type AgentResult,
  type AgentUsage,
  checkAgentOptions,
} from "./agent-options.ts";
import { CollectedStep } from "./collect-step.ts";
import { ContextWindow } from "./fit-context.ts";
import { listCallIds, resultPart } from "./result-part.ts";
import { StepCalls } from "./run-calls.ts";
import { settleWaiting } from "./settle-waiting.ts";

const MAX_STEPS = 50;
const CONTEXT_TOKENS = 128_000;
const STALL_MS = 120_000;
/** Retries of a step; the SDK waits as the endpoint requests or backs off. */
const RETRIES = 2;

/**
 * Runs the agent loop: the session runs the model's calls until it makes no more. The result contains
 * failures of the model (`ended`, `error`).
 *
 * @throws HaftError `INVALID_OPTIONS`
 *
 * @example
 * ```ts
 * import { openModel, runAgent } from "@haft/chat";
 * import type { Session } from "@haft/core/kernel";
 * declare const session: Session;
 * const { model } = await openModel({ model: "anthropic/claude-sonnet-5" });
 * const { ended, text } = await runAgent({ session, model, prompt: "Which tests fail, and why?" });
 * ```
 */
export async function runAgent(options: AgentOptions): Promise<AgentResult> {
  checkAgentOptions(options);
  const { session, prompt, ask } = options;
  const { maxSteps = MAX_STEPS, contextTokens = CONTEXT_TOKENS, stallMs = STALL_MS } = options;
  const signal = options.signal ?? new AbortController().signal;
  const instructions = options.instructions ?? agentInstructions(session);
  const report = createReporter(options.onEvent);
  const before = await settleWaiting(answerOrphans(options.messages ?? []), session, signal);
  const model = watchModel(options.model, { stallMs, taken: takenIds(before, session) });
  const window = new ContextWindow(contextTokens, instructions.length + definitionsLength(session));
  const usage: AgentUsage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  let messages: ModelMessage[] = [...before, { role: "user", content: prompt }];
  let text = "";
  let steps = 0;
  let hasShrunk = false;
  const end = (ended: AgentEnd, error?: AgentResult["error"]): AgentResult => ({
    ended,
    ...(error && { error }),
    // Without the unread prompt, a retry does not repeat it.
    messages: steps === 0 && messages.length === before.length + 1 ? [...before] : messages,
    text,
    steps,
    usage,
  });
  // Repetitions after a new prompt are intended.
  session.resetLoopGuard();
  for (;;) {
    if (signal.aborted) return end("aborted");
    if (steps >= maxSteps) return end("step-limit");
    const fitted = window.fit(messages);
    if (fitted.results + fitted.dropped > 0) {
      messages = fitted.messages;
      report({ type: "left-out", results: fitted.results, messages: fitted.dropped });
    }
    if (!fitted.fits) return end("failed", tooLong(contextTokens));
    report({ type: "asking", step: steps + 1 });
    const step = new CollectedStep(report);
    const calls = new StepCalls(session, { ask, sender: options.sender, signal });
    await takeStep(step, calls, { model, instructions, messages, signal });
    const gained = step.messages((id) => calls.answer(id));
    add(usage, step.usage);
    window.learn(step.usage.inputTokens);
    if (gained.length > 0) {
      steps++;
      messages = [...messages, ...gained];
      text = step.text === "" ? text : step.text;
      report({ type: "step", step: steps, messages: gained, usage: { ...usage } });
    }
    if (step.aborted) return end("aborted");
    if (step.error?.code === "CONVERSATION_TOO_LONG" && !hasShrunk) {
      hasShrunk = true;
      window.shrink();
      continue;
    }
    if (step.error !== undefined) return end("failed", step.error);
    if (step.finishReason === "content-filter")
      return end(
        "failed",
        chatError("MODEL_REFUSED", "The content filter of the model's endpoint ended the answer."),
      );
    if (step.finishReason === "length") return end("length");
    if (step.calls.length === 0) return end("done");
  }
}

/** Runs an answer's calls in order, unless it is incomplete. */
async function takeStep(
  step: CollectedStep,
  calls: StepCalls,
  {
    signal,
    ...request
  }: { model: AgentModel; instructions: string; messages: ModelMessage[]; signal: AbortSignal },
): Promise<void> {
  try {
    const { stream } = streamText({
      ...request,
      ...calls.tools(),
      stopWhen: isStepCount(1),
      abortSignal: signal,
      maxRetries: RETRIES,
      // Otherwise the SDK also prints errors.
      onError() {},
    });
    for await (const part of stream) step.take(part);
  } catch (thrown) {
    if (!signal.aborted) step.fail(thrown);
  }
  if (signal.aborted) step.aborted = true;
  // The SDK does not wait after an abort.
  await calls.ended();
}

function takenIds(messages: readonly ModelMessage[], session: AgentOptions["session"]): Set<string> {
  const inLedger = session
    .ledger()
    .flatMap(({ toolCallId, answeredAs }) => [toolCallId, answeredAs ?? toolCallId]);
  return new Set([...listCallIds(messages), ...inLedger]);
}

function createReporter(onEvent: AgentOptions["onEvent"]): (event: AgentEvent) => void {
  return (event) => {
    try {
      onEvent?.(event);
    } catch (thrown) {
      process.emitWarning(`A listener of the agent loop threw: ${getErrorMessage(thrown)}`);
    }
  };
}

function add(all: AgentUsage, { inputTokens, outputTokens, cachedTokens }: AgentUsage): void {
  all.inputTokens += inputTokens;
  all.outputTokens += outputTokens;
  all.cachedTokens += cachedTokens;
}

function tooLong(contextTokens: number) {
  return chatError(
    "CONVERSATION_TOO_LONG",
    `The latest message alone does not fit into the model's context of ${contextTokens} tokens.`,
  );
}

function definitionsLength(session: AgentOptions["session"]): number {
  const definitions = session
    .tools()
    .map(({ name, description, parameters }) => ({ name, description, parameters }));
  return JSON.stringify(definitions).length;
}

const LOST =
  "The result of this call was lost, so its effects are unknown. Check them before you make the call again.";

/** Gives each call exactly one result directly after it, and drops other results. Providers reject truncated conversations. */
function answerOrphans(messages: readonly ModelMessage[]): ModelMessage[] {
  const mended: ModelMessage[] = [];
  let open = new Map<string, { toolCallId: string; toolName: string }>();
  const close = (): void => {
    if (open.size === 0) return;
    const content = Array.from(open.values(), (call) =>
      resultPart(call, { type: "error-text", value: LOST }),
    );
    const last = mended.at(-1);
    if (last?.role === "tool")
      mended[mended.length - 1] = { ...last, content: [...last.content, ...content] };
    else mended.push({ role: "tool", content });
    open = new Map();
  };
  for (const message of messages) {
    if (message.role === "tool") {
      const content = message.content.filter(
        (part) => part.type !== "tool-result" || open.delete(part.toolCallId),
      );
      if (content.length > 0) mended.push({ ...message, content });
      continue;
    }
    close();
    mended.push(message);
    if (message.role !== "assistant" || typeof message.content === "string") continue;
    for (const part of message.content)
      if (part.type === "tool-call" && part.providerExecuted !== true) open.set(part.toolCallId, part);
  }
  close();
  return mended;
}
