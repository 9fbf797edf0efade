import type { CallSender } from "@haft/adapters/ai-sdk";
import { type ApprovalAnswer, type ApprovalRequestRecord, type HaftError, invalidOptions } from "@haft/core";
import { checkSender } from "@haft/core/internal";
import type { Session } from "@haft/core/kernel";
import type { ModelMessage } from "ai";
import type { AgentModel } from "../model/agent-model.ts";

/**
 * Asks a person about a call that waits for approval. If it resolves to nothing or throws, the call still
 * waits for the session or store.
 *
 * @param request the waiting call with its facts
 * @param signal aborts when the call was decided elsewhere or the run ended
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
 * Reports the progress of the agent loop. `session.subscribe` reports the outcomes of calls.
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
  /** A request was sent to the model. `step` counts from 1. */
  | { type: "asking"; step: number }
  /** The model sent more text. */
  | { type: "text"; text: string }
  /** A block of text ended. */
  | { type: "text-end" }
  /** The model sent more reasoning. Not every model shows it. */
  | { type: "reasoning"; text: string }
  /** The model began to write a call. */
  | { type: "writing-call"; toolName: string }
  /** A step ended, including its calls. `messages` contains the new messages. */
  | { type: "step"; step: number; messages: readonly ModelMessage[]; usage: AgentUsage }
  /** Content was left out to fit the context: the numbers of tool results and of messages. */
  | { type: "left-out"; results: number; messages: number };

/** Counts tokens that the endpoint reports, else 0. */
export interface AgentUsage {
  /** Tokens that the model read, in all steps. */
  inputTokens: number;
  /** Tokens that the model wrote. */
  outputTokens: number;
  /** Input tokens from the provider's cache. */
  cachedTokens: number;
}

/**
 * Configures {@link runAgent}.
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
  /** Decides about calls and runs them. The run does not close the session. */
  session: Session;
  /** Accepts any AI SDK model; {@link openModel} opens one. */
  model: AgentModel;
  /** Contains the message of the user. */
  prompt: string;
  /** Contains the conversation before the prompt. Default: empty. */
  messages?: readonly ModelMessage[];
  /** Replaces the system instructions. Default: {@link agentInstructions} of the session. */
  instructions?: string;
  /** Aborts the answer of the model and the running call. Calls that wait for approval continue to wait. */
  signal?: AbortSignal;
  /** Limits the answers of the model. Default 50. */
  maxSteps?: number;
  /** Sets the model's context size in tokens. Default 128,000. If a conversation is longer, the oldest tool results are left out first. */
  contextTokens?: number;
  /** Fails the run after this many milliseconds without output from the model. Default 120,000. */
  stallMs?: number;
  /** Asks a person about calls that wait for approval. Default: the model reads that they wait. */
  ask?: AskPerson;
  /** Names the prompt's sender; rules for senders apply to the calls of this run. Default: the sender of the session. */
  sender?: CallSender;
  /** Receives events without delaying the run. */
  onEvent?: (event: AgentEvent) => void;
}

/** Names the reason why a run ended. */
export type AgentEnd =
  /** The model made no more calls. */
  | "done"
  /** The signal aborted the run. */
  | "aborted"
  /** The model reached `maxSteps`. */
  | "step-limit"
  /** The answer reached the model's limit of output tokens; calls in it were not run. */
  | "length"
  /** The model was unreachable or did not answer: see `error`. */
  | "failed";

/**
 * Contains the result of {@link runAgent}.
 *
 * @example
 * ```ts
 * import type { AgentResult } from "@haft/chat";
 * const report = ({ ended, error, text, steps, usage }: AgentResult) =>
 *   ended === "failed" ? `${error?.message} ${error?.fix}` : `${text}\n${steps} steps, ${usage.outputTokens} tokens`;
 * ```
 */
export interface AgentResult {
  /** Names the reason for the end. */
  ended: AgentEnd;
  /** Explains `failed`, with cause and fix. */
  error?: HaftError;
  /** Contains the conversation with this run. Every call has an answer. An unanswered prompt is left out. */
  messages: ModelMessage[];
  /** Contains the last text of the model. */
  text: string;
  /** Counts the answers of the model. */
  steps: number;
  /** Counts the tokens of all steps. */
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
  prompt: "a text that is not blank",
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

/** @throws HaftError `INVALID_OPTIONS`: a misspelled `ask` would silently drop approvals */
export function checkAgentOptions(options: AgentOptions): void {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(KEYS, key));
  if (unknown !== undefined)
    throw invalidOptions(
      `runAgent has no option ${JSON.stringify(unknown)}; its options are ${Object.keys(KEYS).join(", ")}.`,
    );
  const required = ["session", "model", "prompt"];
  for (const [key, fits] of Object.entries(KEYS) as [keyof AgentOptions, (value: unknown) => boolean][]) {
    // An undefined sender would become the session's.
    const isAbsent = given[key] === undefined && !(key === "sender" && Object.hasOwn(given, key));
    if (isAbsent && !required.includes(key)) continue;
    if (!fits(given[key])) throw invalidOptions(`The option ${key} of runAgent must be ${WANTED[key]}.`);
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
