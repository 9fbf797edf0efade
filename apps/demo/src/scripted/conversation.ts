import type { ChatMessage, ChatRequest } from "./chat.ts";

/** A call the model made and what it was told. */
export interface Exchange {
  name: string;
  arguments: Readonly<Record<string, unknown>>;
  /** The tool's answer, as the model reads it. */
  answer: string;
  /** The answer says that the call did not do what was asked. */
  failed: boolean;
}

/** Everything a script goes by: the task, and what really came back from each call. */
export interface Conversation {
  task: string;
  exchanges: readonly Exchange[];
}

/** How an answer begins when the call did not do what was asked. */
const FAILURE = /^(?:Error|Blocked|Cancelled|Waiting for approval)\b/;

export function readConversation({ messages }: ChatRequest): Conversation {
  const answers = new Map(messages.map((message) => [message.tool_call_id, textOf(message)]));
  const exchanges = messages
    .flatMap((message) => message.tool_calls ?? [])
    .map(({ id, function: { name, arguments: args } }): Exchange => {
      const answer = answers.get(id) ?? "";
      return { name, arguments: parseObject(args), answer, failed: FAILURE.test(answer) };
    });
  const task = messages.findLast(({ role }) => role === "user");
  return { task: task ? textOf(task) : "", exchanges };
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => text ?? "").join("");
}

function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
