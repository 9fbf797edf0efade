import { asRecord } from "@haft/core/internal";
import type { Session } from "@haft/core/kernel";
import { checkOutgoing } from "../outgoing/check-outgoing.ts";
import { toProviderTools, type ToolNote } from "../outgoing/provider-tools.ts";
import { readName } from "../outgoing/read-name.ts";
import { type HistoryFormat, repairHistory } from "../outgoing/repair-history.ts";
import type { CallSender } from "../outgoing/sender.ts";
import { createAnswer, type AnswerOptions, type Turn } from "../outgoing/turn.ts";
import {
  type AnthropicAssistantMessage,
  type AnthropicMessage,
  type AnthropicResultMessage,
  createAnthropicFormat,
  toAnthropicResult,
} from "./anthropic-format.ts";

/** How the tools of a session are handed to the Messages API. */
export interface ToAnthropicOptions {
  /** Whose messages are answered, where `answer` is not told: rules for senders hold for these calls. Default: that of the session. */
  sender?: CallSender;
}

/** A tool for the Messages API. */
export interface AnthropicTool {
  /** To be called by. */
  name: string;
  /** For the model. */
  description: string;
  /** JSON Schema. */
  input_schema: Record<string, unknown> & { type: "object" };
}

/** A session for the Messages API. */
export interface AnthropicSession {
  /** For `tools` of a request. */
  tools: AnthropicTool[];
  /** What is told differently than the tool's author wrote it. */
  notes: ToolNote[];
  /** Answers a message, or the list of its blocks. */
  answer: <Block extends object>(
    message: AnthropicMessage<Block> | readonly Block[],
    options?: AnswerOptions,
  ) => Promise<Turn<AnthropicAssistantMessage<Block>, AnthropicResultMessage>>;
  /**
   * A conversation as the API takes it, before it is sent: each call with an id of its own and its answer, no answer without a call.
   * Resolves to a new list; messages that are right stay as they are.
   */
  repair: <Message extends object>(messages: readonly Message[]) => Promise<Message[]>;
}

const ANTHROPIC = { name: "The Messages API", parameters: /^[\w.-]{1,64}$/ };

/**
 * The tools of a session, for the Messages API of Anthropic: `const { tools, answer } = toAnthropic(session)`.
 *
 * Every call goes through `session.call()`. One that fails or is blocked tells the model so; nothing is thrown but for what is no
 * message. The last call of a message that ended at its limit of tokens is not run: its input may be a part. The tools are those of
 * this moment.
 *
 * @throws HaftError `BRIDGE_INVALID` for what is no session, and for options it does not have; `INVALID_OPTIONS` for what is no sender
 */
export function toAnthropic(session: Session, options: ToAnthropicOptions = {}): AnthropicSession {
  checkOutgoing("toAnthropic", session, options, { sender: "sender" });
  const { tools, notes } = toProviderTools(session, ANTHROPIC);
  return {
    tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
    notes,
    answer: createAnswer(
      session,
      createAnthropicFormat<object>(),
      options.sender,
    ) as AnthropicSession["answer"],
    repair: async <Message extends object>(messages: readonly Message[]) =>
      (await repairHistory(session, anthropicHistory, messages)) as Message[],
  };
}

/** Conversations of the Messages API: answers are blocks of the next message of the user, before anything else there. */
const anthropicHistory: HistoryFormat<object> = {
  ids: /^[\w-]{1,64}$/,
  calls: (message) =>
    blocksOf(message, "assistant")
      .filter((block) => isOf(block, "tool_use"))
      .map((block) => ({ id: asRecord(block)["id"], name: readName(asRecord(block)["name"]) })),
  withIds(message, ids) {
    let next = 0;
    const content = blocksOf(message, "assistant").map((block) =>
      isOf(block, "tool_use") ? { ...asRecord(block), id: ids[next++] } : block,
    );
    return { ...message, content };
  },
  results: (message) =>
    blocksOf(message, "user")
      .filter((block) => isOf(block, "tool_result"))
      .map((block) => ({ id: asRecord(block)["tool_use_id"], name: "", original: block })),
  withoutResults(message) {
    const content = blocksOf(message, "user").filter((block) => !isOf(block, "tool_result"));
    return content.length === 0 ? undefined : { ...message, content };
  },
  answers: (slots) => [
    {
      role: "user",
      content: slots.map(({ id, original, generated }) =>
        generated === undefined ? { ...(original as object), tool_use_id: id } : toAnthropicResult(generated),
      ),
    },
  ],
  orphans: (results) => ({
    role: "user",
    content: results.flatMap(({ id, original }) => {
      const { content } = asRecord(original);
      const blocks: unknown[] = Array.isArray(content)
        ? content
        : readName(content) === ""
          ? []
          : [{ type: "text", text: content }];
      return [{ type: "text", text: `[A result without its call (${String(id)})]` }, ...blocks];
    }),
  }),
};

function blocksOf(message: object, role: string): readonly unknown[] {
  const { role: whose, content } = asRecord(message);
  return whose === role && Array.isArray(content) ? content : [];
}

function isOf(block: unknown, type: string): boolean {
  return asRecord(block)["type"] === type;
}
