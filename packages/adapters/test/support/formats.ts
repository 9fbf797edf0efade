import type { Session } from "@haft/core/kernel";
import { toAnthropic } from "../../src/anthropic/index.ts";
import { toGemini } from "../../src/gemini/index.ts";
import { toOpenAI } from "../../src/openai/index.ts";
import type { AnswerOptions, Turn } from "../../src/openai/index.ts";

/** A call, as a model would make it in any of the formats. */
export interface AnyCall {
  id?: unknown;
  name: string;
  args?: unknown;
}

/** A format of a provider, for tests that hold for all of them. */
export interface Format {
  name: string;
  createAnswer: (
    session: Session,
  ) => (message: object, options?: AnswerOptions) => Promise<Turn<object, object>>;
  message: (calls: readonly AnyCall[]) => object;
  /** Ids of the calls, as the conversation has them. */
  calls: (turn: Turn<object, object>) => unknown[];
  createRepair: (session: Session) => (messages: readonly object[]) => Promise<object[]>;
  /** What the model said, as it stands in a conversation. */
  history: (message: object) => object[];
  /** An answer, as it stands in a conversation. */
  result: (id: unknown, text: string, name: string) => object;
  /** What a person said. */
  person: (text: string) => object;
  /** A conversation in short: `calls a, b`, `answer a: …`, `says: …`. */
  summarize: (messages: readonly object[]) => string[];
  /** Ids and texts of the answers. */
  answers: (turn: Turn<object, object>) => { id: unknown; text: string }[];
}

// What a provider sends is looked at as what it is: any JSON.
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any;
type Ask = ReturnType<Format["createAnswer"]>;

const textOf = (content: Any): string =>
  typeof content === "string" ? content : content.map((part: Any) => part.text ?? "[image]").join("");

export const formats: readonly Format[] = [
  {
    name: "OpenAI chat",
    createAnswer: (session) => toOpenAI(session).answer,
    message: (calls) => ({
      role: "assistant",
      content: null,
      tool_calls: calls.map(({ id, name, args = {} }) => ({
        id,
        type: "function",
        function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
      })),
    }),
    calls: ({ messages: [message] }) => (message as Any).tool_calls.map(({ id }: Any) => id),
    createRepair: (session) => toOpenAI(session).repair,
    history: (message) => [message],
    result: (id, content) => ({ role: "tool", tool_call_id: id, content }),
    person: (content) => ({ role: "user", content }),
    summarize: (messages) =>
      messages.map((message: Any) =>
        message.role === "tool"
          ? `answer ${message.tool_call_id}: ${textOf(message.content)}`
          : message.tool_calls
            ? `calls ${message.tool_calls.map(({ id }: Any) => id).join(", ")}`
            : `says: ${textOf(message.content)}`,
      ),
    answers: ({ results }) =>
      results.map(({ tool_call_id: id, content }: Any) => ({ id, text: textOf(content) })),
  },
  {
    name: "OpenAI responses",
    createAnswer: (session) => toOpenAI(session, { api: "responses" }).answer as Ask,
    message: (calls) =>
      calls.map(({ id, name, args = {} }) => ({
        type: "function_call",
        call_id: id,
        name,
        arguments: typeof args === "string" ? args : JSON.stringify(args),
      })),
    calls: ({ messages }) =>
      messages.filter(({ type }: Any) => type === "function_call").map(({ call_id }: Any) => call_id),
    createRepair: (session) => toOpenAI(session, { api: "responses" }).repair,
    history: (items) => items as object[],
    result: (id, output) => ({ type: "function_call_output", call_id: id, output }),
    person: (content) => ({ role: "user", content }),
    summarize(items) {
      const lines: string[] = [];
      for (const item of items as Any[]) {
        const isNext = item.type === "function_call" && lines.at(-1)?.startsWith("calls ");
        if (isNext) lines[lines.length - 1] += `, ${item.call_id}`;
        else if (item.type === "function_call") lines.push(`calls ${item.call_id}`);
        else if (item.role) lines.push(`says: ${textOf(item.content)}`);
        else lines.push(`answer ${item.call_id}: ${textOf(item.output)}`);
      }
      return lines;
    },
    answers: ({ results }) => results.map(({ call_id: id, output }: Any) => ({ id, text: textOf(output) })),
  },
  {
    name: "Anthropic",
    createAnswer: (session) => toAnthropic(session).answer as Ask,
    message: (calls) => ({
      role: "assistant",
      content: calls.map(({ id, name, args: input = {} }) => ({ type: "tool_use", id, name, input })),
    }),
    calls: ({ messages: [message] }) => (message as Any).content.map(({ id }: Any) => id),
    createRepair: (session) => toAnthropic(session).repair,
    history: (message) => [message],
    result: (id, content) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] }),
    person: (text) => ({ role: "user", content: [{ type: "text", text }] }),
    summarize: (messages) =>
      messages.flatMap(({ role, content }: Any) =>
        role === "assistant"
          ? [`calls ${content.map(({ id }: Any) => id).join(", ")}`]
          : content[0].type === "tool_result"
            ? content.map((block: Any) => `answer ${block.tool_use_id}: ${textOf(block.content)}`)
            : [`says: ${textOf(content)}`],
      ),
    answers: ({ results }) =>
      results.flatMap(({ content }: Any) =>
        content.map((block: Any) => ({ id: block.tool_use_id, text: textOf(block.content) })),
      ),
  },
  {
    name: "Gemini",
    createAnswer: (session) => toGemini(session).answer,
    message: (calls) => ({
      role: "model",
      parts: calls.map(({ id, name, args = {} }) => ({ functionCall: { id, name, args } })),
    }),
    calls: ({ messages: [message] }) => (message as Any).parts.map((part: Any) => part.functionCall.id),
    createRepair: (session) => toGemini(session).repair,
    history: (content) => [content],
    result: (id, output, name) => ({
      role: "user",
      parts: [{ functionResponse: { id, name, response: { output } } }],
    }),
    person: (text) => ({ role: "user", parts: [{ text }] }),
    summarize: (contents) =>
      contents.flatMap(({ role, parts }: Any) =>
        role === "model"
          ? [`calls ${parts.map((part: Any) => part.functionCall.id).join(", ")}`]
          : parts[0].functionResponse
            ? parts.map(
                ({ functionResponse: { id, response } }: Any) =>
                  `answer ${id}: ${response.output ?? response.error}`,
              )
            : [`says: ${textOf(parts)}`],
      ),
    answers: ({ results }) =>
      results.flatMap(({ parts }: Any) =>
        parts.map(({ functionResponse: { id, response } }: Any) => ({
          id,
          text: response.output ?? response.error,
        })),
      ),
  },
];
