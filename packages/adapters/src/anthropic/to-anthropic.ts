import { membersOf } from "@haft/core/internal";
import type { Session } from "@haft/core/kernel";
import { checkOutgoing } from "../outgoing/check-outgoing.ts";
import { type HistoryWords, mendHistory } from "../outgoing/mend.ts";
import { nameOf } from "../outgoing/name-of.ts";
import type { CallSender } from "../outgoing/sender.ts";
import { toldTools, type ToolNote } from "../outgoing/told-tools.ts";
import { answering, type AnswerOptions, type Turn } from "../outgoing/turn.ts";
import {
  type AnthropicAssistantMessage,
  type AnthropicMessage,
  type AnthropicResultMessage,
  anthropicWords,
  resultOf,
} from "./anthropic-words.ts";

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
  mend: <Message extends object>(messages: readonly Message[]) => Promise<Message[]>;
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
  const { tools, notes } = toldTools(session, ANTHROPIC);
  return {
    tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
    notes,
    answer: answering(session, anthropicWords<object>(), options.sender) as AnthropicSession["answer"],
    mend: async <Message extends object>(messages: readonly Message[]) =>
      (await mendHistory(session, anthropicHistory, messages)) as Message[],
  };
}

/** Conversations of the Messages API: answers are blocks of the next message of the user, before anything else there. */
const anthropicHistory: HistoryWords<object> = {
  ids: /^[\w-]{1,64}$/,
  calls: (message) =>
    blocksOf(message, "assistant")
      .filter((block) => isOf(block, "tool_use"))
      .map((block) => ({ id: membersOf(block)["id"], name: nameOf(membersOf(block)["name"]) })),
  withIds(message, ids) {
    let next = 0;
    const content = blocksOf(message, "assistant").map((block) =>
      isOf(block, "tool_use") ? { ...membersOf(block), id: ids[next++] } : block,
    );
    return { ...message, content };
  },
  results: (message) =>
    blocksOf(message, "user")
      .filter((block) => isOf(block, "tool_result"))
      .map((block) => ({ id: membersOf(block)["tool_use_id"], name: "", kept: block })),
  withoutResults(message) {
    const content = blocksOf(message, "user").filter((block) => !isOf(block, "tool_result"));
    return content.length === 0 ? undefined : { ...message, content };
  },
  answers: (slots) => [
    {
      role: "user",
      content: slots.map(({ id, kept, made }) =>
        made === undefined ? { ...(kept as object), tool_use_id: id } : resultOf(made),
      ),
    },
  ],
  orphans: (results) => ({
    role: "user",
    content: results.flatMap(({ id, kept }) => {
      const { content } = membersOf(kept);
      const blocks: unknown[] = Array.isArray(content)
        ? content
        : nameOf(content) === ""
          ? []
          : [{ type: "text", text: content }];
      return [{ type: "text", text: `[A result without its call (${String(id)})]` }, ...blocks];
    }),
  }),
};

function blocksOf(message: object, role: string): readonly unknown[] {
  const { role: whose, content } = membersOf(message);
  return whose === role && Array.isArray(content) ? content : [];
}

function isOf(block: unknown, type: string): boolean {
  return membersOf(block)["type"] === type;
}
