import {
  type Answer,
  readContent,
  type Dialect,
  toObjects,
  parseOr,
  pieces,
  toText,
  countTokens,
} from "./dialect.ts";
import type { ModelRequest } from "./script.ts";

/** Anthropic's Messages API, for Claude Code. */
export const anthropicMessages: Dialect = {
  name: "anthropic",
  asks: (path) => path.endsWith("/messages"),
  handleOther: (path, body) =>
    path.endsWith("/messages/count_tokens") ? { input_tokens: countTokens(body) } : undefined,
  read(body) {
    const messages = toObjects(body["messages"]);
    const blocks = messages.flatMap(({ content }) => toObjects(content));
    const users = messages.filter(({ role }) => role === "user");
    const texts = users.map(({ content }) =>
      typeof content === "string"
        ? content
        : toObjects(content)
            .flatMap(({ type, text }) => (type === "text" ? [toText(text)] : []))
            .join("\n"),
    );
    return {
      model: toText(body["model"]),
      stream: body["stream"] === true,
      tools: toObjects(body["tools"]).map(({ name }) => ({ name: toText(name) })),
      results: blocks
        .filter(({ type }) => type === "tool_result")
        .map((block) => ({
          callId: toText(block["tool_use_id"]),
          ...readContent(block["content"]),
          isError: block["is_error"] === true,
        })),
      spokenTurns: messages.filter(
        ({ role, content }) =>
          role === "assistant" && toObjects(content).every(({ type }) => type !== "tool_use"),
      ).length,
      prompt: texts.findLast((text) => text !== "") ?? "",
    };
  },
  formatResponse: (answer, request) => ({
    ...message(answer, request),
    content: [
      ...(answer.text === "" ? [] : [{ type: "text", text: answer.text }]),
      ...answer.calls.map((call) => ({
        type: "tool_use",
        id: call.id,
        name: call.name,
        input: parseOr(call.arguments, {}),
      })),
    ],
    stop_reason: stopReason(answer),
    usage: usageOf(answer, request),
  }),
  *events(answer, request) {
    const event = (type: string, more: object = {}): string =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
    const { input_tokens } = usageOf(answer, request);
    const start = { ...message(answer, request), usage: { input_tokens, output_tokens: 1 } };
    yield event("message_start", { message: start });
    const blocks = [
      ...(answer.text === "" ? [] : [{ start: { type: "text", text: "" }, deltas: textDeltas(answer.text) }]),
      ...answer.calls.map((call) => ({
        start: { type: "tool_use", id: call.id, name: call.name, input: {} },
        deltas: pieces(call.arguments).map((partial_json) => ({ type: "input_json_delta", partial_json })),
      })),
    ];
    for (const [index, block] of blocks.entries()) {
      yield event("content_block_start", { index, content_block: block.start });
      for (const delta of block.deltas) yield event("content_block_delta", { index, delta });
      yield event("content_block_stop", { index });
    }
    yield event("message_delta", {
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: { output_tokens: usageOf(answer, request).output_tokens },
    });
    yield event("message_stop");
  },
  error: (status, text) => ({ type: "error", error: { type: errorType(status), message: text } }),
};

function message({ id }: Answer, { model }: ModelRequest) {
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

function textDeltas(text: string) {
  return pieces(text).map((piece) => ({ type: "text_delta", text: piece }));
}

function stopReason({ calls }: Answer): string {
  return calls.length > 0 ? "tool_use" : "end_turn";
}

function usageOf({ text, calls }: Answer, { body }: ModelRequest) {
  return {
    input_tokens: countTokens(body["messages"]),
    output_tokens: countTokens(text) + countTokens(calls),
  };
}

function errorType(status: number): string {
  const known: Record<number, string> = {
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
  };
  return known[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
}
