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
/** Beside the first try of a step; the SDK waits longer each time, or as long as the endpoint says. */
const RETRIES = 2;

/**
 * Runs the agent loop: the model answers and calls tools, and the session runs the calls, until the model makes no more calls.
 * Failures of the model are in the result (`ended`, `error`); they do not throw.
 *
 * @throws HaftError `INVALID_OPTIONS` for invalid options
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
  const tell = teller(options.onEvent);
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
    // Nobody has read the prompt: it is said again, perhaps, and not twice.
    messages: steps === 0 && messages.length === before.length + 1 ? [...before] : messages,
    text,
    steps,
    usage,
  });
  // A repeat is now what the user wants.
  session.resetLoopGuard();
  for (;;) {
    if (signal.aborted) return end("aborted");
    if (steps >= maxSteps) return end("step-limit");
    const fitted = window.fit(messages);
    if (fitted.results + fitted.dropped > 0) {
      messages = fitted.messages;
      tell({ type: "left-out", results: fitted.results, messages: fitted.dropped });
    }
    if (!fitted.fits) return end("failed", tooLong(contextTokens));
    tell({ type: "asking", step: steps + 1 });
    const step = new CollectedStep(tell);
    const calls = new StepCalls(session, { ask, sender: options.sender, signal });
    await takeStep(step, calls, { model, instructions, messages, signal });
    const gained = step.messages((id) => calls.answer(id));
    add(usage, step.usage);
    window.learn(step.usage.inputTokens);
    if (gained.length > 0) {
      steps++;
      messages = [...messages, ...gained];
      text = step.text === "" ? text : step.text;
      tell({ type: "step", step: steps, messages: gained, usage: { ...usage } });
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
        chatError("MODEL_REFUSED", "The endpoint of the model ended the answer by its content filter."),
      );
    if (step.finishReason === "length") return end("length");
    if (step.calls.length === 0) return end("done");
  }
}

/**
 * Has the model answer once, and makes its calls. Calls are made when the answer is whole, one after the other: of one that
 * breaks off none is.
 */
async function takeStep(
  step: CollectedStep,
  calls: StepCalls,
  {
    signal,
    ...asked
  }: { model: AgentModel; instructions: string; messages: ModelMessage[]; signal: AbortSignal },
): Promise<void> {
  try {
    const { stream } = streamText({
      ...asked,
      ...calls.tools(),
      stopWhen: isStepCount(1),
      abortSignal: signal,
      maxRetries: RETRIES,
      // They come in the stream, too; without this the SDK prints them.
      onError() {},
    });
    for await (const part of stream) step.take(part);
  } catch (thrown) {
    if (!signal.aborted) step.fail(thrown);
  }
  if (signal.aborted) step.aborted = true;
  // The SDK does not wait for calls of a run that is aborted.
  await calls.ended();
}

/** Ids that calls of this conversation have, in the messages and in the ledger. */
function takenIds(messages: readonly ModelMessage[], session: AgentOptions["session"]): Set<string> {
  const inLedger = session
    .ledger()
    .flatMap(({ toolCallId, answeredAs }) => [toolCallId, answeredAs ?? toolCallId]);
  return new Set([...listCallIds(messages), ...inLedger]);
}

/** Whoever listens is not waited for, and cannot end a run by throwing. */
function teller(onEvent: AgentOptions["onEvent"]): (event: AgentEvent) => void {
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
    `What was said last alone does not fit into the model's context of ${contextTokens} tokens.`,
  );
}

/** Characters of what a model is told of the tools. */
function definitionsLength(session: AgentOptions["session"]): number {
  const told = session
    .tools()
    .map(({ name, description, parameters }) => ({ name, description, parameters }));
  return JSON.stringify(told).length;
}

const LOST =
  "Nobody knows how this call ended: its answer was lost. Look at what it did before you make it again.";

/**
 * A conversation that every provider takes: each call has one answer, right behind it, and each answer its call. What was cut
 * off somewhere, by a crash or by whoever keeps it, is mended so.
 */
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
