/** The part of the OpenAI chat completions protocol that a scripted model needs. */

export interface ChatToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

export interface ChatMessage {
  role: "system" | "developer" | "user" | "assistant" | "tool";
  content?: string | null | readonly { type: string; text?: string }[];
  tool_calls?: readonly ChatToolCall[];
  tool_call_id?: string;
}

export interface ChatRequest {
  model: string;
  messages: readonly ChatMessage[];
  tools?: readonly { function: { name: string } }[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
}

/** What the model says next: words, calls, or words and then calls. */
export interface Reply {
  text?: string;
  /** Arguments, or the text to send in their place, which need not be JSON: models err. */
  calls?: readonly { name: string; arguments: Readonly<Record<string, unknown>> | string }[];
}

/** Decides what to say next from everything said so far. */
export type Script = (request: ChatRequest) => Reply | Promise<Reply>;
