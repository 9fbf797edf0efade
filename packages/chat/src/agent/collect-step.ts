import type { HaftError } from "@haft/core";
import type { AssistantModelMessage, ModelMessage, TextStreamPart, ToolModelMessage, ToolSet } from "ai";
import { chatError } from "../errors.ts";
import { modelError } from "../model/model-error.ts";
import type { AgentEvent, AgentUsage } from "./agent-options.ts";
import { resultPart } from "./result-part.ts";
import type { CallAnswer } from "./run-calls.ts";

type Content = Exclude<AssistantModelMessage["content"], string>;
type Part = Content[number];
type StreamPart<Type extends string> = Extract<TextStreamPart<ToolSet>, { type: Type }>;
type Metadata = NonNullable<StreamPart<"text-start">["providerMetadata"]>;
type TextPart = Extract<Part, { type: "text" | "reasoning" }>;

const NOT_MADE = "Not run, because the answer with this call was incomplete.";

export class CollectedStep {
  readonly #content: Part[] = [];
  readonly #open = new Map<string, TextPart>();
  readonly #report: (event: AgentEvent) => void;
  usage: AgentUsage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  finishReason = "other";
  error: HaftError | undefined;
  aborted = false;

  constructor(report: (event: AgentEvent) => void) {
    this.#report = report;
  }

  take(part: TextStreamPart<ToolSet>): void {
    const { type } = part;
    if (type === "text-start" || type === "reasoning-start") this.#begin(part);
    else if (type === "text-delta" || type === "reasoning-delta") this.#goOn(part, part.text);
    else if (type === "text-end" || type === "reasoning-end") this.#goOn(part, "");
    else if (type === "tool-call") this.#call(part);
    else if (type === "finish-step") this.#finish(part);
    else if (type === "error") this.fail(part.error);
    else if (type === "abort") this.aborted = true;
    const event = eventOf(part);
    if (event !== undefined) this.#report(event);
  }

  /** The first error causes later errors. */
  fail(thrown: unknown): void {
    this.error ??= modelError(thrown);
  }

  get text(): string {
    return this.#content
      .flatMap((part) => (part.type === "text" ? [part.text] : []))
      .join("\n\n")
      .trim();
  }

  get calls(): readonly { toolCallId: string; toolName: string }[] {
    return this.#content.filter((part) => part.type === "tool-call");
  }

  /** Gives every call a result, because providers require it. */
  messages(answerOf: (toolCallId: string) => CallAnswer | undefined): ModelMessage[] {
    const isMade = this.calls.some(({ toolCallId }) => answerOf(toolCallId) !== undefined);
    const isWhole = this.error === undefined && !this.aborted;
    const calls = isWhole || isMade ? this.calls : [];
    const content = this.#content.filter((part) =>
      part.type === "tool-call" ? calls.includes(part) : part.type !== "text" || part.text !== "",
    );
    // Reasoning alone is not an answer.
    if (!content.some(({ type }) => type === "text" || type === "tool-call")) return [];
    const message: AssistantModelMessage = { role: "assistant", content };
    if (calls.length === 0) return [message];
    const answers: ToolModelMessage = {
      role: "tool",
      content: calls.map(({ toolCallId, toolName }) => {
        const { output, waits } = answerOf(toolCallId) ?? {
          output: { type: "error-text", value: NOT_MADE },
          waits: false,
        };
        return resultPart({ toolCallId, toolName }, output, waits);
      }),
    };
    return [message, answers];
  }

  #begin({ type: begun, id, providerMetadata }: StreamPart<"text-start" | "reasoning-start">): void {
    const type = begun === "text-start" ? "text" : "reasoning";
    const part: TextPart = { type, text: "", ...options(providerMetadata) };
    this.#open.set(`${type} ${id}`, part);
    this.#content.push(part);
  }

  #goOn(
    {
      type,
      id,
      providerMetadata,
    }: StreamPart<"text-delta" | "reasoning-delta" | "text-end" | "reasoning-end">,
    text: string,
  ): void {
    const part = this.#open.get(`${type.replace(/-.*/, "")} ${id}`);
    if (part === undefined) return;
    part.text += text;
    Object.assign(part, options(providerMetadata));
  }

  #call({ toolCallId, toolName, input, providerMetadata }: StreamPart<"tool-call">): void {
    const args: unknown = typeof input === "object" && input !== null ? input : { text: input };
    this.#content.push({
      type: "tool-call",
      toolCallId,
      toolName,
      input: args,
      ...options(providerMetadata),
    });
  }

  #finish({ usage, finishReason, rawFinishReason }: StreamPart<"finish-step">): void {
    const { inputTokens = 0, outputTokens = 0, inputTokenDetails } = usage;
    this.usage = { inputTokens, outputTokens, cachedTokens: inputTokenDetails?.cacheReadTokens ?? 0 };
    this.finishReason = finishReason;
    // Only interrupted streams lack a finish reason.
    if (finishReason === "other" && rawFinishReason === undefined)
      this.fail(
        chatError("MODEL_FAILED", "The answer of the model broke off without a reason.", {
          details: { reason: "cut" },
        }),
      );
  }
}

function eventOf(part: TextStreamPart<ToolSet>): AgentEvent | undefined {
  if (part.type === "text-delta") return { type: "text", text: part.text };
  if (part.type === "reasoning-delta") return { type: "reasoning", text: part.text };
  if (part.type === "text-end") return { type: "text-end" };
  if (part.type === "tool-input-start") return { type: "writing-call", toolName: part.toolName };
  return undefined;
}

/** Providers need their metadata unchanged. */
function options(metadata: Metadata | undefined): { providerOptions?: Metadata } {
  return metadata === undefined ? {} : { providerOptions: metadata };
}
