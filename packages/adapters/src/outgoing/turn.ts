import { type ContentBlock, HaftError, text, type ToolOutcome, type ToolResult } from "@haft/core";
import { checkOptions, checkSender, optionsSchema, formatSender } from "@haft/core/internal";
import type { Session } from "@haft/core/kernel";
import { createBridgeError } from "../incoming/check-options.ts";
import { CallIds } from "./call-ids.ts";
import { createCaller } from "./caller.ts";
import { type CallSender, createRefusedOutcome } from "./sender.ts";

/**
 * Options of `answer`: how the calls of one message run.
 *
 * @example
 * ```ts
 * import { toGemini, type AnswerOptions } from "@haft/adapters/gemini";
 * import type { Session } from "@haft/core/kernel";
 * declare const session: Session;
 * declare const content: { role: string; parts: object[] };
 * const options: AnswerOptions = { signal: AbortSignal.timeout(60_000), sender: { id: "u-1842" } };
 * const { results } = await toGemini(session).answer(content, options);
 * ```
 */
export interface AnswerOptions {
  /** Aborts running and waiting calls. Each receives the answer that it was cancelled. */
  signal?: AbortSignal;
  /** Receives the progress of running tools. */
  onUpdate?: (update: CallUpdate) => void;
  /** Sender of the message that the model answers in this turn. Default: the `sender` of the bridge, then the sender of the session. */
  sender?: CallSender;
}

const ANSWER = optionsSchema<AnswerOptions>({
  signal: { "haft:kind": "signal", description: "Aborts the calls: that of an AbortController." },
  onUpdate: { "haft:kind": "function", description: "Hears what a running tool reports." },
  // An explicit `undefined` means no sender.
  sender: {},
});

/** Progress of a running call. */
export interface CallUpdate {
  /** Id of the call in the message; empty if the provider uses no ids. */
  toolCallId: string;
  /** Name as the model wrote it. */
  toolName: string;
  /** Result so far. It replaces the previous result. */
  partial: ToolResult;
}

/**
 * Result of `answer`: a message and the answers to its calls, in the provider's format.
 *
 * @example
 * ```ts
 * import type { ChatToolMessage, Turn } from "@haft/adapters/openai";
 * declare const turn: Turn<object, ChatToolMessage>;
 * const isOver = turn.outcomes.length === 0;
 * const failed = turn.outcomes.filter(({ kind }) => kind !== "ok");
 * console.log(isOver, failed.map(({ toolName }) => toolName));
 * ```
 */
export interface Turn<Message, Result> {
  /** Messages to append to the conversation: the model's message with repaired ids, then the answers. */
  messages: (Message | Result)[];
  /** Only the answers, for an API that stores the conversation. */
  results: Result[];
  /** Outcome of each call, in the order of the message. Empty if the message has no calls: the turn is over. */
  outcomes: readonly ToolOutcome[];
}

/**
 * Runs the calls of a message, in parallel where allowed, and returns the answers in order. For the same object again, it runs no call, but
 * returns the present outcomes of calls that waited for approval.
 */
export type Answer<Given extends object, Message, Result> = (
  given: Given,
  options?: AnswerOptions,
) => Promise<Turn<Message, Result>>;

export interface MessageCall {
  /** Contains the repaired id of the call; absent if the provider uses no ids. */
  id: string | undefined;
  name: string;
  /** An object, or JSON text as the model wrote it. */
  arguments: unknown;
  /** The message ended at its limit, so the call may be incomplete: its invalid arguments are reported as this sentence. */
  cut?: string;
}

export interface AnsweredCall extends Pick<MessageCall, "id" | "name"> {
  content: readonly ContentBlock[];
  /** True unless the outcome is `ok`. */
  isError: boolean;
}

/** Translates between outcomes and a provider's messages. */
export interface MessageFormat<Given extends object, Message, Result> {
  ids?: RegExp;
  /** Describes a valid message, with an example, for errors. */
  message: { is: string; example: string };
  /** Returns `undefined` for an invalid message. */
  read: (given: Given, ids: CallIds) => { messages: Message[]; calls: MessageCall[] } | undefined;
  results: (answered: readonly AnsweredCall[], outcomes: readonly ToolOutcome[]) => Result[];
}

export function createAnswer<Given extends object, Message, Result>(
  session: Session,
  words: MessageFormat<Given, Message, Result>,
  ofBridge: (() => { sender?: CallSender } | HaftError) | CallSender | undefined,
): Answer<Given, Message, Result> {
  const caller = createCaller(session);
  const ids = new CallIds(words.ids);
  const begun = new WeakMap<Given, Begun<Message>>();
  return async (given, options = {}) => {
    checkOptions("answer", options, ANSWER);
    if (Object.hasOwn(options, "sender")) checkSender("answer", options.sender);
    let turn = begun.get(given);
    const isOther =
      options.sender !== undefined && formatSender(turn?.sender) !== formatSender(options.sender);
    if (turn !== undefined && isOther)
      throw createBridgeError(
        "answer got this message before, for another sender.",
        "A message is answered for one sender: give each turn its own message.",
      );
    if (turn === undefined) {
      const read = typeof given === "object" && given !== null ? words.read(given, ids) : undefined;
      if (read === undefined)
        throw createBridgeError(`answer takes ${words.message.is}.`, words.message.example);
      const { sender: ofTurn, signal, onUpdate } = options;
      const ofOthers = typeof ofBridge === "function" ? ofBridge : () => ({ sender: ofBridge });
      const of = ofTurn === undefined ? ofOthers() : { sender: ofTurn };
      const later = hearLater(session);
      const running = read.calls.map(async ({ id = "", name, arguments: args, cut }) => {
        const request = { name, arguments: args, ...(id !== "" && { id }) };
        if (HaftError.is(of)) return createRefusedOutcome(request, of);
        const outcome = await caller.call(
          request,
          {
            ...(signal && { signal }),
            ...(of.sender !== undefined && { sender: of.sender }),
            ...(onUpdate && { onUpdate: (partial) => onUpdate({ toolCallId: id, toolName: name, partial }) }),
          },
          { isNew: true },
        );
        return cut === undefined || outcome.kind !== "error" ? outcome : { ...outcome, content: [text(cut)] };
      });
      const sender = HaftError.is(of) ? undefined : of.sender;
      begun.set(given, (turn = { ...read, sender, outcomes: later.settled(running) }));
    }
    const { messages, calls } = turn;
    const outcomes = (await turn.outcomes)();
    const answered = calls.map(({ id, name }, index): AnsweredCall => {
      const { content, kind } = outcomes[index]!;
      return { id, name, content, isError: kind !== "ok" };
    });
    const results = calls.length === 0 ? [] : words.results(answered, outcomes);
    return { messages: [...messages, ...results], results, outcomes };
  };
}

interface Begun<Message> {
  messages: Message[];
  calls: MessageCall[];
  sender: CallSender | undefined;
  /** Resolves when every call has an outcome. The function returns the present outcomes. */
  outcomes: Promise<() => ToolOutcome[]>;
}

/** Collects the final outcomes of pending calls, from before the calls until the last ends. */
function hearLater(session: Session): {
  settled: (running: Promise<ToolOutcome>[]) => Promise<() => ToolOutcome[]>;
} {
  const ended = new Map<string, ToolOutcome>();
  let waiting: Set<string> | undefined;
  const stop = session.subscribe((event) => {
    if (event.type === "session-closed") stop();
    if (event.type !== "tool-end" || event.outcome.kind === "pending") return;
    if (waiting?.has(event.toolCallId) !== false) ended.set(event.toolCallId, event.outcome);
    if (waiting?.delete(event.toolCallId) && waiting.size === 0) stop();
  });
  return {
    async settled(running) {
      const outcomes = await Promise.all(running);
      const pending = outcomes.filter(({ kind }) => kind === "pending").map(({ toolCallId }) => toolCallId);
      waiting = new Set(pending.filter((id) => !ended.has(id)));
      for (const id of ended.keys()) if (!pending.includes(id)) ended.delete(id);
      if (waiting.size === 0) stop();
      return () =>
        outcomes.map((outcome) =>
          outcome.kind === "pending" ? (ended.get(outcome.toolCallId) ?? outcome) : outcome,
        );
    },
  };
}
