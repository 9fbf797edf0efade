import type { Session } from "@haft/core/kernel";
import { asRecord } from "@haft/utils";
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

/**
 * Options of {@link toAnthropic}.
 *
 * @example
 * ```ts
 * import { toAnthropic, type ToAnthropicOptions } from "@haft/adapters/anthropic";
 * import type { Session } from "@haft/core/kernel";
 * declare const session: Session;
 * const options: ToAnthropicOptions = { sender: { phone: "+4915112345678" } };
 * const { tools } = toAnthropic(session, options);
 * ```
 */
export interface ToAnthropicOptions {
  /** Sender of the answered messages, unless `answer` receives one. Default: the sender of the session. */
  sender?: CallSender;
}

/** A tool in the format of the Messages API. */
export interface AnthropicTool {
  /** Name for the model. */
  name: string;
  /** Description for the model. */
  description: string;
  /** JSON Schema of the arguments. */
  input_schema: Record<string, unknown> & { type: "object" };
}

/**
 * Result of {@link toAnthropic}.
 *
 * @example
 * ```ts
 * import { toAnthropic, type AnthropicSession } from "@haft/adapters/anthropic";
 * import type { Session } from "@haft/core/kernel";
 * declare const session: Session;
 * declare const history: { role: "user" | "assistant"; content: string }[];
 * const haft: AnthropicSession = toAnthropic(session);
 * const request = { max_tokens: 8000, tools: haft.tools, messages: await haft.repair(history) };
 * ```
 */
export interface AnthropicSession {
  /** Tools, for `tools` of a request. */
  tools: AnthropicTool[];
  /** Tools that the provider receives changed, or not at all. */
  notes: ToolNote[];
  /** Runs the calls of a message, or of its blocks, and returns the answers. */
  answer: <Block extends object>(
    message: AnthropicMessage<Block> | readonly Block[],
    options?: AnswerOptions,
  ) => Promise<Turn<AnthropicAssistantMessage<Block>, AnthropicResultMessage>>;
  /**
   * Repairs a conversation: each call gets a unique id and one answer, each answer a call. Resolves to a new list; correct messages are
   * unchanged.
   */
  repair: <Message extends object>(messages: readonly Message[]) => Promise<Message[]>;
}

const ANTHROPIC = { name: "The Messages API", parameters: /^[\w.-]{1,64}$/ };

/**
 * Returns the tools of a session for Anthropic's Messages API, with `answer` for the model's messages.
 *
 * Every call goes to `session.call()`. The model reads why a call failed or was blocked; only an invalid message throws. If a message ended
 * at its token limit, its last call does not run. The tools are a snapshot.
 *
 * @throws `BRIDGE_INVALID` for an invalid session or option; `INVALID_OPTIONS` for an invalid sender
 *
 * @example
 * ```ts run
 * import { toAnthropic } from "@haft/adapters/anthropic";
 * import { createHost } from "haft";
 * const host = await createHost({ workspaceDir: process.cwd(), stateDir: false });
 * const { tools, answer } = toAnthropic(await host.openSession());
 * const content = [{ type: "tool_use", id: "toolu_1", name: "ls", input: {} }]; // of the model's message
 * const { messages } = await answer({ content, stop_reason: "tool_use" });
 * messages.map(({ role }) => role); // => ["assistant", "user"]
 * await host.close();
 * ```
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

/** Answers are the first blocks of the user's next message. */
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
