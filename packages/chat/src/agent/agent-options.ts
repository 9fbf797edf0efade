import type { CallSender } from "@haft/adapters/ai-sdk";
import type { ApprovalAnswer, ApprovalRequestRecord, HaftError } from "@haft/core";
import { checkSender, invalidOptions } from "@haft/core/internal";
import type { Session } from "@haft/core/kernel";
import type { ModelMessage } from "ai";
import type { AgentModel } from "../model/agent-model.ts";

/**
 * Asks a person about a call that waits. Nothing answered, or something thrown, leaves it waiting: it can be answered later,
 * by whoever has the session, or the store.
 *
 * @param request what waits, with all a person should see
 * @param signal aborts when nobody need answer any more: it was decided elsewhere, or the run ends
 */
export type AskPerson = (
  request: ApprovalRequestRecord,
  signal: AbortSignal,
) => Promise<ApprovalAnswer | undefined>;

/** What the loop tells while it runs. What becomes of calls the session itself tells: `session.subscribe`. */
export type AgentEvent =
  /** The model is asked, for the step of this number, from 1. */
  | { type: "asking"; step: number }
  /** The model goes on with its text. */
  | { type: "text"; text: string }
  /** … and has ended a stretch of it. */
  | { type: "text-end" }
  /** What some models show of their thoughts goes on. */
  | { type: "reasoning"; text: string }
  /** The model begins to write a call of this tool. */
  | { type: "writing-call"; toolName: string }
  /** The model has answered, and its calls are over: what the conversation gained. */
  | { type: "step"; step: number; messages: readonly ModelMessage[]; usage: AgentUsage }
  /** The conversation did not fit into the context: so many results of tools, then messages, were left out. */
  | { type: "left-out"; results: number; messages: number };

/** Tokens, as the endpoint counted them; 0 where it says nothing. */
export interface AgentUsage {
  /** Of what the model read, in all steps. */
  inputTokens: number;
  /** Of what it wrote. */
  outputTokens: number;
  /** Of those read, the ones that it had read before. */
  cachedTokens: number;
}

/** What {@link runAgent} works with. */
export interface AgentOptions {
  /** Runs the calls, and decides about them. Somebody else closes it. */
  session: Session;
  /** Any model of a provider of the AI SDK; {@link openModel} opens one. */
  model: AgentModel;
  /** What the user says. */
  prompt: string;
  /** The conversation so far. Default: none. */
  messages?: readonly ModelMessage[];
  /** What the model is told before all. Default: {@link agentInstructions} of the session. */
  instructions?: string;
  /** Ends it: the answer of the model, and the call that runs. A call that waits for approval goes on waiting. */
  signal?: AbortSignal;
  /** Answers of the model, at most. Default 50. */
  maxSteps?: number;
  /** Tokens of the model's context. Default 128,000. What does not fit is left out, oldest results of tools first. */
  contextTokens?: number;
  /** Milliseconds the model may say nothing. Default 120,000. */
  stallMs?: number;
  /** Asks a person about calls that wait. Default: nobody; the model is told that they wait. */
  ask?: AskPerson;
  /** Whose message the prompt is: rules for senders hold for the calls of this run. Default: the sender of the session. */
  sender?: CallSender;
  /** Told what happens. Not waited for. */
  onEvent?: (event: AgentEvent) => void;
}

/** How a run ended. */
export type AgentEnd =
  /** The model had nothing more to call. */
  | "done"
  /** By the signal. */
  | "aborted"
  /** After so many answers of the model as there may be. */
  | "step-limit"
  /** The model may not write more in one answer; calls in it were not run. */
  | "length"
  /** The model could not be asked, or did not answer: see `error`. */
  | "failed";

/** What became of a run. */
export interface AgentResult {
  /** Why it ended. */
  ended: AgentEnd;
  /** With `failed`: what happened, why, and what to do. */
  error?: HaftError;
  /** The conversation, with what was said now. Every call in it has its answer. A prompt that got none is not in it. */
  messages: ModelMessage[];
  /** What the model said last. */
  text: string;
  /** Answers of the model. */
  steps: number;
  /** Of all steps. */
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
