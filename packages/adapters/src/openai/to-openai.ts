import type { Session } from "@haft/core/kernel";
import { withoutUndefined, asRecord } from "@haft/utils";
import { checkOutgoing } from "../outgoing/check-outgoing.ts";
import { type ProviderTool, toProviderTools, type ToolNote } from "../outgoing/provider-tools.ts";
import { readName } from "../outgoing/read-name.ts";
import { type HistoryFormat, repairHistory } from "../outgoing/repair-history.ts";
import type { CallSender } from "../outgoing/sender.ts";
import { createAnswer, type AnswerOptions, type Turn } from "../outgoing/turn.ts";
import { strictSchema } from "../schema/strict-schema.ts";
import {
  chatAnswers,
  type ChatCallsMessage,
  type ChatImageMessage,
  type ChatMessage,
  type ChatToolMessage,
  createChatFormat,
} from "./chat.ts";
import { groupItems, responsesHistory } from "./responses-history.ts";
import { type ResponsesOutput, createResponsesFormat } from "./responses.ts";

/**
 * Options of {@link toOpenAI}.
 *
 * @example
 * ```ts
 * import { toOpenAI, type ToOpenAIOptions } from "@haft/adapters/openai";
 * import type { Session } from "@haft/core/kernel";
 * declare const session: Session;
 * const localModel = { api: "chat", strict: false } satisfies ToOpenAIOptions;
 * const { tools, notes } = toOpenAI(session, localModel);
 * ```
 */
export interface ToOpenAIOptions {
  /** API: `chat` (default), which compatible endpoints also have, or `responses`. */
  api?: "chat" | "responses";
  /**
   * Whether tools use strict mode if it can express their parameters (default true): the model then writes only matching arguments, and
   * null for absent parameters. `false`: for endpoints without that mode.
   */
  strict?: boolean;
  /** Sender of the answered messages, unless `answer` receives one. Default: the sender of the session. */
  sender?: CallSender;
}

/** A tool in the format of chat completions. */
export interface ChatTool {
  /** Kind of the tool. */
  type: "function";
  /** The function that the model calls. */
  function: {
    /** Name for the model. */
    name: string;
    /** Description for the model; at most 1,024 characters. */
    description: string;
    /** JSON Schema of the arguments. */
    parameters: Record<string, unknown>;
    /** Present if the tool is strict. */
    strict?: true;
  };
}

/** A tool in the format of the Responses API. */
export interface ResponsesTool {
  /** Kind of the tool. */
  type: "function";
  /** Name for the model. */
  name: string;
  /** Description for the model; at most 1,024 characters. */
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
  /** Always present, because the API's default is true. */
  strict: boolean;
}

/**
 * Result of {@link toOpenAI} for chat completions.
 *
 * @example
 * ```ts
 * import { toOpenAI, type OpenAIChat } from "@haft/adapters/openai";
 * import type { Session } from "@haft/core/kernel";
 * declare const session: Session;
 * const chat: OpenAIChat = toOpenAI(session);
 * const repaired = await chat.repair([{ role: "user", content: "Which files changed?" }]);
 * ```
 */
export interface OpenAIChat {
  /** Tools, for `tools` of a request. */
  tools: ChatTool[];
  /** Tools that the provider receives changed, or not at all. */
  notes: ToolNote[];
  /** Runs the calls of `choices[0].message`, or of its `tool_calls`, and returns the answers. */
  answer: <Message extends ChatMessage | readonly object[]>(
    message: Message,
    options?: AnswerOptions,
  ) => Promise<
    Turn<Message extends readonly object[] ? ChatCallsMessage : Message, ChatToolMessage | ChatImageMessage>
  >;
  /**
   * Repairs a conversation: each call gets a unique id and one answer, each answer a call. Resolves to a new list; correct messages are
   * unchanged.
   */
  repair: <Message extends object>(messages: readonly Message[]) => Promise<Message[]>;
}

/**
 * Result of {@link toOpenAI} for the Responses API.
 *
 * @example
 * ```ts
 * import { toOpenAI, type OpenAIResponses } from "@haft/adapters/openai";
 * import type { Session } from "@haft/core/kernel";
 * declare const session: Session;
 * declare const response: { id: string; output: object[] };
 * const haft: OpenAIResponses = toOpenAI(session, { api: "responses" });
 * const { results } = await haft.answer(response.output);
 * const next = { previous_response_id: response.id, input: results };
 * ```
 */
export interface OpenAIResponses {
  /** Tools, for `tools` of a request. */
  tools: ResponsesTool[];
  /** Tools that the provider receives changed, or not at all. */
  notes: ToolNote[];
  /** Runs the calls of `response.output`, and returns the answers. */
  answer: <Item extends object>(
    output: readonly Item[],
    options?: AnswerOptions,
  ) => Promise<Turn<Item, ResponsesOutput>>;
  /** Repairs the items of a conversation, like {@link OpenAIChat.repair}. */
  repair: <Item extends object>(items: readonly Item[]) => Promise<Item[]>;
}

const OPENAI = {
  name: "OpenAI",
  top: ["const", "enum", "not"],
  needsItems: true,
  description: 1_024,
} as const;

/**
 * Returns the tools of a session for the Responses API, with `answer` for the model's output.
 *
 * Every call goes to `session.call()` as the model wrote it. The model reads why a call failed or was blocked; only an invalid message
 * throws. The tools are a snapshot.
 *
 * @throws `BRIDGE_INVALID` for an invalid session or option
 *
 * @example
 * ```ts run
 * import { toOpenAI } from "@haft/adapters/openai";
 * import { createHost } from "haft";
 * const host = await createHost({ workspaceDir: process.cwd(), stateDir: false });
 * const { tools, answer } = toOpenAI(await host.openSession(), { api: "responses" });
 * const call = { type: "function_call", call_id: "call_1", name: "ls", arguments: "{}" };
 * const { results } = await answer([call]); // call: an item of response.output
 * results.map(({ call_id }) => call_id); // => ["call_1"]
 * await host.close();
 * ```
 */
export function toOpenAI(session: Session, options: ToOpenAIOptions & { api: "responses" }): OpenAIResponses;
/**
 * Returns the tools of a session for chat completions, with `answer` for the model's messages.
 *
 * @throws `BRIDGE_INVALID` for an invalid session or option
 *
 * @example
 * ```ts
 * import { toOpenAI } from "@haft/adapters/openai";
 * import type { Session } from "@haft/core/kernel";
 * import type { ChatCompletionMessage, ChatCompletionMessageParam } from "openai/resources";
 * declare const session: Session;
 * declare const reply: ChatCompletionMessage; // choices[0].message
 * const messages: ChatCompletionMessageParam[] = [];
 * messages.push(...(await toOpenAI(session).answer(reply)).messages);
 * ```
 */
export function toOpenAI(session: Session, options?: ToOpenAIOptions & { api?: "chat" }): OpenAIChat;
export function toOpenAI(session: Session, options: ToOpenAIOptions = {}): OpenAIChat | OpenAIResponses {
  checkOutgoing("toOpenAI", session, options, {
    api: ["chat", "responses"],
    strict: [true, false],
    sender: "sender",
  });
  const { api = "chat", strict = true, sender } = options;
  const { tools, notes } = toProviderTools(session, OPENAI);
  const told = tools.map((tool) => (strict ? strictTool(tool, notes) : { ...tool, isStrict: false }));
  if (api === "responses")
    return {
      tools: told.map(({ name, description, schema, isStrict }) => ({
        type: "function",
        name,
        description,
        parameters: schema,
        strict: isStrict,
      })),
      notes,
      answer: createAnswer(session, createResponsesFormat<object>(), sender) as OpenAIResponses["answer"],
      repair: async <Item extends object>(items: readonly Item[]) =>
        (await repairHistory(session, responsesHistory, groupItems(items))).flat() as Item[],
    };
  return {
    tools: told.map(({ name, description, schema: parameters, isStrict }) => ({
      type: "function",
      function: withoutUndefined<ChatTool["function"]>({
        name,
        description,
        parameters,
        strict: isStrict || undefined,
      }),
    })),
    notes,
    answer: createAnswer(session, createChatFormat(), sender) as OpenAIChat["answer"],
    repair: async <Message extends object>(messages: readonly Message[]) =>
      (await repairHistory(session, chatHistory, messages)) as Message[],
  };
}

function strictTool(tool: ProviderTool, notes: ToolNote[]) {
  const strict = strictSchema(tool.schema);
  if ("schema" in strict) return { ...tool, schema: strict.schema, isStrict: true };
  const reason = `Strict mode cannot say it: the tool ${strict.problem}.`;
  notes.push({ tool: tool.name, kind: "not-strict", reason });
  return { ...tool, isStrict: false };
}

/** Answers are separate messages. */
const chatHistory: HistoryFormat<object> = {
  calls: (message) =>
    callsOf(message).map((call) => {
      const { id, function: asked, custom } = asRecord(call);
      return { id, name: readName(asRecord(asked ?? custom)["name"]) };
    }),
  withIds: (message, ids) => ({
    ...message,
    tool_calls: callsOf(message).map((call, index) => ({ ...asRecord(call), id: ids[index] })),
  }),
  results(message) {
    const { role, tool_call_id: id, name } = asRecord(message);
    return role === "tool" ? [{ id, name: readName(name), original: message }] : [];
  },
  withoutResults: () => undefined,
  answers(slots) {
    const made = chatAnswers(slots.flatMap((slot) => slot.generated ?? []));
    const tools: object[] = slots.map(({ id, original }) =>
      original === undefined ? made.shift()! : { ...original, tool_call_id: id },
    );
    // Images follow the last answer.
    return [...tools, ...made];
  },
  orphans: (results) => ({
    role: "user",
    content: results
      .map(
        ({ id, original }) =>
          `[A result without its call (${String(id)})]\n${said(asRecord(original)["content"])}`,
      )
      .join("\n\n"),
  }),
};

function callsOf(message: object): readonly unknown[] {
  const { role, tool_calls: calls } = asRecord(message);
  return role === "assistant" && Array.isArray(calls) ? calls : [];
}

function said(content: unknown): string {
  if (!Array.isArray(content)) return readName(content);
  return content.map((part) => readName(asRecord(part)["text"])).join("\n\n");
}
