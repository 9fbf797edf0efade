import {
  type Answer,
  readContent,
  type Dialect,
  type Json,
  toObjects,
  parseOr,
  pieces,
  toText,
  countTokens,
} from "./dialect.ts";
import type { ModelRequest, OfferedTool } from "./script.ts";

/** A tool search returns a list. */
const OUTPUTS: readonly string[] = ["function_call_output", "custom_tool_call_output", "tool_search_output"];
/** Its calls have another shape. */
const TOOL_SEARCH = "tool_search";
const CALLS: readonly unknown[] = ["function_call", "custom_tool_call", "tool_search_call"];

/** OpenAI's Responses API, for Codex. */
export const openAIResponses: Dialect = {
  name: "openai-responses",
  asks: (path) => path.endsWith("/responses"),
  read(body) {
    const { input } = body;
    const items =
      typeof input === "string" ? [{ type: "message", role: "user", content: input }] : toObjects(input);
    return {
      model: toText(body["model"]),
      stream: body["stream"] === true,
      // Some come later as an item.
      tools: [
        ...toObjects(body["tools"]),
        ...items.flatMap((item) => (item["type"] === "additional_tools" ? toObjects(item["tools"]) : [])),
      ].flatMap((tool) => offered(tool)),
      results: items
        .filter(({ type }) => typeof type === "string" && OUTPUTS.includes(type))
        .map((item) => ({
          callId: toText(item["call_id"]),
          ...readContent(item["output"] ?? item["tools"]),
          isError: undefined,
        })),
      spokenTurns: items.filter((item, index) => isSaid(item) && !isCall(nextOf(items, index))).length,
      prompt: readContent(items.findLast(({ role }) => role === "user")?.["content"]).text,
    };
  },
  formatResponse: (answer, request) => response(answer, request, "completed"),
  *events(answer, request) {
    let count = 0;
    const event = (type: string, more: object): string =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: count++, ...more })}\n\n`;
    yield event("response.created", { response: response(answer, request, "in_progress") });
    yield event("response.in_progress", { response: response(answer, request, "in_progress") });
    for (const [output_index, item] of outputOf(answer).entries()) {
      const place = { output_index, item_id: item.id };
      yield event("response.output_item.added", { output_index, item: beginning(item) });
      if (item.type === "message") {
        const part = { content_index: 0, ...place };
        const empty = { type: "output_text", text: "", annotations: [] };
        yield event("response.content_part.added", { ...part, part: empty });
        for (const delta of pieces(answer.text))
          yield event("response.output_text.delta", { ...part, delta, logprobs: [] });
        yield event("response.output_text.done", { ...part, text: answer.text, logprobs: [] });
        yield event("response.content_part.done", { ...part, part: item.content[0] });
      } else if (item.type !== "tool_search_call") {
        const isCustom = item.type === "custom_tool_call";
        const text = isCustom ? item.input : item.arguments;
        const kind = isCustom ? "response.custom_tool_call_input" : "response.function_call_arguments";
        for (const delta of pieces(text)) yield event(`${kind}.delta`, { ...place, delta });
        yield event(`${kind}.done`, { ...place, [isCustom ? "input" : "arguments"]: text });
      }
      yield event("response.output_item.done", { output_index, item });
    }
    yield event("response.completed", { response: response(answer, request, "completed") });
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

function offered(tool: Json): OfferedTool[] {
  const name = toText(tool["name"]);
  if (tool["type"] !== "namespace") return [{ name: name === "" ? toText(tool["type"]) : name }];
  return toObjects(tool["tools"]).map((each) => ({ name: toText(each["name"]), namespace: name }));
}

function isSaid({ type, role }: Json): boolean {
  return (type ?? "message") === "message" && role === "assistant";
}

function isCall(item: Json | undefined): boolean {
  return CALLS.includes(item?.["type"]);
}

/** Excludes reasoning items. */
function nextOf(items: readonly Json[], index: number): Json | undefined {
  return items.slice(index + 1).find(({ type }) => type !== "reasoning");
}

function outputOf({ id, text, calls }: Answer) {
  const message = {
    id: `msg_${id}`,
    type: "message" as const,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
  };
  return [
    ...(text === "" ? [] : [message]),
    ...calls.map(({ id: call_id, name, namespace, custom, arguments: input }, index) => {
      if (name === TOOL_SEARCH) {
        const search = { execution: "client", status: "completed", arguments: parseOr(input, input) };
        return { id: `tsc_${id}_${index}`, type: "tool_search_call" as const, call_id, ...search };
      }
      const about = { call_id, name, ...(namespace !== undefined && { namespace }), status: "completed" };
      return custom === true
        ? { id: `ctc_${id}_${index}`, type: "custom_tool_call" as const, ...about, input }
        : { id: `fc_${id}_${index}`, type: "function_call" as const, ...about, arguments: input };
    }),
  ];
}

function beginning(item: ReturnType<typeof outputOf>[number]): object {
  if (item.type === "message") return { ...item, status: "in_progress", content: [] };
  if (item.type === "tool_search_call") return { ...item, status: "in_progress" };
  const empty = item.type === "custom_tool_call" ? { input: "" } : { arguments: "" };
  return { ...item, status: "in_progress", ...empty };
}

function response(answer: Answer, request: ModelRequest, status: "in_progress" | "completed"): object {
  const input_tokens = countTokens(request.body["input"]);
  const output_tokens = countTokens(answer.text) + countTokens(answer.calls);
  const usage = {
    input_tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + output_tokens,
  };
  return {
    id: `resp_${answer.id}`,
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    status,
    error: null,
    incomplete_details: null,
    model: request.model,
    output: status === "completed" ? outputOf(answer) : [],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    usage: status === "completed" ? usage : null,
  };
}
