/** The OpenAI chat completions of a scripted model. */

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
  stream_options?: { include_usage?: boolean };
}

/** An answer for sending whole or in pieces. */
export interface Completion {
  id: string;
  model: string;
  text: string;
  calls: readonly ChatToolCall[];
}

/** An answer without streaming. */
export function formatCompletion(completion: Completion, request: ChatRequest): object {
  const { text, calls } = completion;
  return {
    ...header(completion, "chat.completion"),
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" ? null : text,
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
        },
        finish_reason: finishReason(completion),
      },
    ],
    usage: usageOf(completion, request),
  };
}

/** A streamed answer's chunks, without `[DONE]`. */
export function* formatChunks(completion: Completion, request: ChatRequest): Generator<object> {
  const withUsage = request.stream_options?.include_usage === true;
  const chunk = (delta: object, reason: string | null = null) => ({
    ...header(completion, "chat.completion.chunk"),
    choices: [{ index: 0, delta, finish_reason: reason }],
    ...(withUsage ? { usage: null } : {}),
  });
  yield chunk({ role: "assistant", content: completion.text === "" ? null : "" });
  for (const content of pieces(completion.text, 24)) yield chunk({ content });
  for (const [index, { id, type, function: called }] of completion.calls.entries()) {
    yield chunk({ tool_calls: [{ index, id, type, function: { name: called.name, arguments: "" } }] });
    for (const part of pieces(called.arguments, 48)) {
      yield chunk({ tool_calls: [{ index, function: { arguments: part } }] });
    }
  }
  yield chunk({}, finishReason(completion));
  if (withUsage) {
    const usage = usageOf(completion, request);
    yield { ...header(completion, "chat.completion.chunk"), choices: [], usage };
  }
}

function header({ id, model }: Completion, object: string) {
  return { id, object, created: Math.floor(Date.now() / 1000), model };
}

function finishReason({ calls }: Completion): string {
  return calls.length > 0 ? "tool_calls" : "stop";
}

/** Four characters are a token. */
function usageOf(completion: Completion, request: ChatRequest) {
  const prompt = Math.ceil(JSON.stringify(request.messages).length / 4);
  const answer = Math.ceil((completion.text.length + JSON.stringify(completion.calls).length) / 4);
  return { prompt_tokens: prompt, completion_tokens: answer, total_tokens: prompt + answer };
}

/** Pieces never end inside a character. */
function pieces(text: string, size: number): string[] {
  const characters = Array.from(text);
  const count = Math.ceil(characters.length / size);
  return Array.from({ length: count }, (_, i) => characters.slice(i * size, (i + 1) * size).join(""));
}
