import { withoutUndefined } from "@haft/core";
import { asRecord } from "@haft/core/internal";
import type { Session } from "@haft/core/kernel";
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

/** How the tools of a session are told to OpenAI. */
export interface ToOpenAIOptions {
  /** Which API: `chat` (default), also of all endpoints that are compatible with it, or `responses`. */
  api?: "chat" | "responses";
  /**
   * Strict mode, for the tools whose parameters can be said in it (default): the model then writes nothing else. What may be left
   * out is null there. `false`: for none, as endpoints want it that do not know it.
   */
  strict?: boolean;
  /** Whose messages are answered, where `answer` is not told: rules for senders hold for these calls. Default: that of the session. */
  sender?: CallSender;
}

/** A tool for chat completions. */
export interface ChatTool {
  /** Tells kinds of tools apart. */
  type: "function";
  /** The tool. */
  function: {
    /** To be called by. */
    name: string;
    /** For the model; at most 1,024 characters. */
    description: string;
    /** JSON Schema. */
    parameters: Record<string, unknown>;
    /** Absent where it is not. */
    strict?: true;
  };
}

/** A tool for the Responses API. */
export interface ResponsesTool {
  /** Tells kinds of tools apart. */
  type: "function";
  /** To be called by. */
  name: string;
  /** For the model; at most 1,024 characters. */
  description: string;
  /** JSON Schema. */
  parameters: Record<string, unknown>;
  /** Said in any case: left out, that API would take it for true. */
  strict: boolean;
}

/** A session for chat completions. */
export interface OpenAIChat {
  /** For `tools` of a request. */
  tools: ChatTool[];
  /** What is told differently than the tool's author wrote it. */
  notes: ToolNote[];
  /** Answers `choices[0].message`, or the list of its `tool_calls`. */
  answer: <Message extends ChatMessage | readonly object[]>(
    message: Message,
    options?: AnswerOptions,
  ) => Promise<
    Turn<Message extends readonly object[] ? ChatCallsMessage : Message, ChatToolMessage | ChatImageMessage>
  >;
  /**
   * A conversation as the API takes it, before it is sent: each call with an id of its own and its answer, no answer without a call.
   * Resolves to a new list; messages that are right stay as they are.
   */
  repair: <Message extends object>(messages: readonly Message[]) => Promise<Message[]>;
}

/** A session for the Responses API. */
export interface OpenAIResponses {
  /** For `tools` of a request. */
  tools: ResponsesTool[];
  /** What is told differently than the tool's author wrote it. */
  notes: ToolNote[];
  /** Answers `response.output`. */
  answer: <Item extends object>(
    output: readonly Item[],
    options?: AnswerOptions,
  ) => Promise<Turn<Item, ResponsesOutput>>;
  /** As {@link OpenAIChat.repair}, of the items of a conversation. */
  repair: <Item extends object>(items: readonly Item[]) => Promise<Item[]>;
}

const OPENAI = {
  name: "OpenAI",
  top: ["const", "enum", "not"],
  needsItems: true,
  description: 1_024,
} as const;

/**
 * The tools of a session, for the API of OpenAI: `const { tools, answer } = toOpenAI(session)`.
 *
 * Every call goes through `session.call()`, as the model wrote it. One that fails or is blocked tells the model so; nothing is
 * thrown but for what is no message. The tools are those of this moment.
 *
 * @throws HaftError `BRIDGE_INVALID` for what is no session, and for options it does not have
 */
export function toOpenAI(session: Session, options: ToOpenAIOptions & { api: "responses" }): OpenAIResponses;
/** The same, for chat completions. @throws HaftError `BRIDGE_INVALID` */
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

/** Conversations of chat completions: answers are messages of their own. */
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
    // Images that are shown here come behind the last answer.
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
