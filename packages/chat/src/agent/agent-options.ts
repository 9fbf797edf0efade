import type { CallSender } from "@haft/adapters/ai-sdk";
import { type ApprovalAnswer, type ApprovalRequestRecord, type HaftError, invalidOptions } from "@haft/core";
import { checkSender } from "@haft/core/internal";
import type { Session } from "@haft/core/kernel";
import type { ModelMessage } from "ai";
import type { AgentModel } from "../model/agent-model.ts";

/**
 * Asks a person about a call that waits for approval. If it resolves to nothing or throws, the call continues to wait; the
 * session or the store can answer it later.
 *
 * @param request the waiting call, with everything that a person should see
 * @param signal aborts when an answer is no longer needed: the call was decided elsewhere, or the run ended
 *
 * @example
 * ```ts
 * import type { AskPerson } from "@haft/chat";
 * import { createInterface } from "node:readline/promises";
 * const ask: AskPerson = async ({ tool, reason }, signal) => {
 *   const terminal = createInterface(process.stdin, process.stderr);
 *   const answer = await terminal.question(`${tool.name}: ${reason} [y/n] `, { signal });
 *   terminal.close();
 *   return { decision: answer === "y" ? "allow-once" : "deny" };
 * };
 * ```
 */
export type AskPerson = (
  request: ApprovalRequestRecord,
  signal: AbortSignal,
) => Promise<ApprovalAnswer | undefined>;

/**
 * What the agent loop reports while it runs. `session.subscribe` reports the outcomes of calls.
 *
 * @example
 * ```ts
 * import type { AgentEvent } from "@haft/chat";
 * const onEvent = (event: AgentEvent) => {
 *   if (event.type === "text") process.stdout.write(event.text);
 *   if (event.type === "step") console.error(`step ${event.step}: ${event.usage.outputTokens} tokens`);
 * };
 * ```
 */
export type AgentEvent =
  /** The model is asked. `step` counts from 1. */
  | { type: "asking"; step: number }
  /** The next part of the model's text. */
  | { type: "text"; text: string }
  /** The end of a stretch of text. */
  | { type: "text-end" }
  /** The next part of the reasoning that some models show. */
  | { type: "reasoning"; text: string }
  /** The model begins to write a call of this tool. */
  | { type: "writing-call"; toolName: string }
  /** The model has answered and its calls have ended: the messages that the conversation gained. */
  | { type: "step"; step: number; messages: readonly ModelMessage[]; usage: AgentUsage }
  /** The conversation did not fit into the context: the number of tool results, then of messages, that were left out. */
  | { type: "left-out"; results: number; messages: number };

/**
 * Numbers of tokens as the endpoint counts them; 0 if it reports none.
 *
 * @example
 * ```ts
 * import type { AgentUsage } from "@haft/chat";
 * const cost = ({ inputTokens, cachedTokens, outputTokens }: AgentUsage) =>
 *   (inputTokens - cachedTokens) * 3e-6 + cachedTokens * 3e-7 + outputTokens * 15e-6;
 * ```
 */
export interface AgentUsage {
  /** Tokens that the model read, in all steps. */
  inputTokens: number;
  /** Tokens that the model wrote. */
  outputTokens: number;
  /** Input tokens that came from the provider's cache. */
  cachedTokens: number;
}

/**
 * Options of {@link runAgent}.
 *
 * @example
 * ```ts
 * import type { AgentModel, AgentOptions } from "@haft/chat";
 * import type { Session } from "@haft/core/kernel";
 * declare const session: Session;
 * declare const model: AgentModel;
 * const options: AgentOptions = { session, model, prompt: "Update the changelog.", maxSteps: 20, stallMs: 60_000 };
 * ```
 */
export interface AgentOptions {
  /** The session that decides about calls and runs them. The run does not close it. */
  session: Session;
  /** A model of any provider of the AI SDK; {@link openModel} opens one. */
  model: AgentModel;
  /** The message of the user. */
  prompt: string;
  /** The conversation before the prompt. Default: empty. */
  messages?: readonly ModelMessage[];
  /** System instructions. Default: {@link agentInstructions} of the session. */
  instructions?: string;
  /** Aborts the run: the answer of the model and the running call. A call that waits for approval continues to wait. */
  signal?: AbortSignal;
  /** The maximum number of answers of the model. Default 50. */
  maxSteps?: number;
  /** Size of the model's context in tokens. Default 128,000. What exceeds it is left out: the oldest tool results first. */
  contextTokens?: number;
  /** Milliseconds without output from the model after which the run fails. Default 120,000. */
  stallMs?: number;
  /** Asks a person about calls that wait for approval. Default: nobody is asked; the model reads that they wait. */
  ask?: AskPerson;
  /**
   * The sender of the prompt; the policy's rules for senders apply to the calls of this run. Default: the sender of the
   * session.
   */
  sender?: CallSender;
  /** Receives events. The run does not wait for it. */
  onEvent?: (event: AgentEvent) => void;
}

/**
 * How a run ended.
 *
 * @example
 * ```ts
 * import type { AgentEnd } from "@haft/chat";
 * const exitCodes: Record<AgentEnd, number> = { done: 0, aborted: 130, "step-limit": 1, length: 1, failed: 1 };
 * ```
 */
export type AgentEnd =
  /** The model made no more calls. */
  | "done"
  /** The signal aborted the run. */
  | "aborted"
  /** The model reached `maxSteps`. */
  | "step-limit"
  /** The answer reached the model's limit of output tokens; calls in it were not run. */
  | "length"
  /** The model could not be reached or did not answer: see `error`. */
  | "failed";

/**
 * The result of {@link runAgent}.
 *
 * @example
 * ```ts
 * import type { AgentResult } from "@haft/chat";
 * const report = ({ ended, error, text, steps, usage }: AgentResult) =>
 *   ended === "failed" ? `${error?.message} ${error?.fix}` : `${text}\n${steps} steps, ${usage.outputTokens} tokens`;
 * ```
 */
export interface AgentResult {
  /** Why the run ended. */
  ended: AgentEnd;
  /** With `failed`: the error, with its cause and fix. */
  error?: HaftError;
  /** The conversation, including this run. Every call has an answer. A prompt without an answer is left out. */
  messages: ModelMessage[];
  /** The last text of the model. */
  text: string;
  /** The number of answers of the model. */
  steps: number;
  /** Tokens of all steps. */
  usage: AgentUsage;
}

const KEYS: Readonly<Record<keyof AgentOptions, (value: unknown) => boolean>> = {
  session: (value) => typeof (value as Partial<Session> | null)?.call === "function",
  model: (value) => typeof (value as { doStream?: unknown } | null)?.doStream === "function",
  prompt: (value) => typeof value === "string" && value.trim() !== "",
  messages: Array.isArray,
  instructions: (value) => typeof value === "string",
  signal: (value) => value instanceof AbortSignal,
  maxSteps: isCount,
  contextTokens: isCount,
  stallMs: isCount,
  ask: (value) => typeof value === "function",
  sender: isSender,
  onEvent: (value) => typeof value === "function",
};

const WANTED: Readonly<Record<keyof AgentOptions, string>> = {
  session: "an open session",
  model: "a model of the AI SDK, as openModel() opens one",
  prompt: "a text that says something",
  messages: "a list of messages",
  instructions: "a text",
  signal: "an AbortSignal",
  maxSteps: "a positive whole number",
  contextTokens: "a positive whole number",
  stallMs: "a positive whole number",
  ask: "a function",
  sender: "system, or an object with id, phone, username or name",
  onEvent: "a function",
};

/** @throws HaftError `INVALID_OPTIONS`: a slip would leave nobody who is asked, without a word */
export function checkAgentOptions(options: AgentOptions): void {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(KEYS, key));
  if (unknown !== undefined)
    throw invalidOptions(
      `runAgent has no option ${JSON.stringify(unknown)}; it has ${Object.keys(KEYS).join(", ")}.`,
    );
  const required = ["session", "model", "prompt"];
  for (const [key, fits] of Object.entries(KEYS) as [keyof AgentOptions, (value: unknown) => boolean][]) {
    // A sender that is named and undefined would be that of the session.
    const isAbsent = given[key] === undefined && !(key === "sender" && Object.hasOwn(given, key));
    if (isAbsent && !required.includes(key)) continue;
    if (!fits(given[key])) throw invalidOptions(`${key} of runAgent is ${WANTED[key]}.`);
  }
}

function isSender(value: unknown): boolean {
  try {
    checkSender("runAgent", value);
    return true;
  } catch {
    return false;
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
