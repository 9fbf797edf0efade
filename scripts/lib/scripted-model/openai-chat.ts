import type { ChatRequest } from "../../../apps/demo/src/scripted/chat.ts";
import { chunks, type Completion, wholeBody } from "../../../apps/demo/src/scripted/completion.ts";
import { type Answer, contentOf, type Dialect, objectsOf, textOf } from "./dialect.ts";
import type { ModelRequest } from "./script.ts";

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
      results: messages
        .filter(({ role }) => role === "tool")
        .map((message) => ({
          callId: textOf(message["tool_call_id"]),
          ...contentOf(message["content"]),
          isError: undefined,
        })),
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
