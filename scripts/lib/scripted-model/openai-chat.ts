import { type ChatRequest, formatChunks, type Completion, formatCompletion } from "./chat-completion.ts";
import { type Answer, readContent, type Dialect, type Json, toObjects, toText } from "./dialect.ts";
import type { ModelRequest, ToolResult } from "./script.ts";

/** OpenAI's chat completions, which many providers support. */
export const openAIChat: Dialect = {
  name: "openai-chat",
  asks: (path) => path.endsWith("/chat/completions"),
  read(body) {
    const messages = toObjects(body["messages"]);
    const calls = ({ tool_calls: all }: (typeof messages)[number]) => Array.isArray(all) && all.length > 0;
    return {
      model: toText(body["model"]),
      stream: body["stream"] === true,
      tools: toObjects(body["tools"]).map((tool) => ({
        name: toText((tool["function"] as { name?: unknown } | undefined)?.name),
      })),
      results: resultsOf(messages),
      spokenTurns: messages.filter((message) => message["role"] === "assistant" && !calls(message)).length,
      prompt: readContent(messages.findLast(({ role }) => role === "user")?.["content"]).text,
    };
  },
  formatResponse: (answer, request) => formatCompletion(completion(answer, request), chatRequest(request)),
  *events(answer, request) {
    for (const chunk of formatChunks(completion(answer, request), chatRequest(request)))
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

/** Results cannot have images: clients send these in a following user message. */
function resultsOf(messages: readonly Json[]): ToolResult[] {
  const results: ToolResult[] = [];
  for (const [index, { role, tool_call_id: id, content }] of messages.entries()) {
    const { text, images } = readContent(content);
    if (role === "tool") results.push({ callId: toText(id), text, images, isError: undefined });
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
