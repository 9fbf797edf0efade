import { type ChatRequest, chunks, type Completion, wholeBody } from "./chat-completion.ts";
import { type Answer, contentOf, type Dialect, type Json, objectsOf, textOf } from "./dialect.ts";
import type { ModelRequest, ToolResult } from "./script.ts";

/** OpenAI's chat completions, which many others speak, too. */
export const openAIChat: Dialect = {
  name: "openai-chat",
  asks: (path) => path.endsWith("/chat/completions"),
  read(body) {
    const messages = objectsOf(body["messages"]);
    const calls = ({ tool_calls: all }: (typeof messages)[number]) => Array.isArray(all) && all.length > 0;
    return {
      model: textOf(body["model"]),
      stream: body["stream"] === true,
      tools: objectsOf(body["tools"]).map((tool) => ({
        name: textOf((tool["function"] as { name?: unknown } | undefined)?.name),
      })),
      results: resultsOf(messages),
      said: messages.filter((message) => message["role"] === "assistant" && !calls(message)).length,
      prompt: contentOf(messages.findLast(({ role }) => role === "user")?.["content"]).text,
    };
  },
  whole: (answer, request) => wholeBody(completion(answer, request), chatRequest(request)),
  *events(answer, request) {
    for (const chunk of chunks(completion(answer, request), chatRequest(request)))
      yield `data: ${JSON.stringify(chunk)}\n\n`;
    yield "data: [DONE]\n\n";
  },
  error: (status, message) => ({
    error: {
      message,
      type: status < 500 ? "invalid_request_error" : "server_error",
      code: null,
      param: null,
    },
  }),
};

/** Results have no place for images: clients send them in a message of the user behind them. */
function resultsOf(messages: readonly Json[]): ToolResult[] {
  const results: ToolResult[] = [];
  for (const [index, { role, tool_call_id: id, content }] of messages.entries()) {
    const { text, images } = contentOf(content);
    if (role === "tool") results.push({ callId: textOf(id), text, images, isError: undefined });
    else if (role === "user" && messages[index - 1]?.["role"] === "tool")
      results.push({ ...results.pop()!, ...(images > 0 && { images }) });
  }
  return results;
}

function completion({ id, text, calls }: Answer, { model }: ModelRequest): Completion {
  return {
    id: `chatcmpl_${id}`,
    model,
    text,
    calls: calls.map((call) => ({
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: call.arguments },
    })),
  };
}

function chatRequest({ body }: ModelRequest): ChatRequest {
  return body as unknown as ChatRequest;
}
