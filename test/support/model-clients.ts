import type { DialectName } from "../../scripts/lib/scripted-model/script.ts";

/** A body as it comes from outside: what is not as it should be fails the test that looks at it. */
// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any;

/** What a model said, whichever API said it. */
export interface Said {
  text: string;
  calls: { id: string; name: string; arguments: string; namespace?: string }[];
}

/** The least that a client of an API has to know: how to ask with what was said so far, and how to read the answer. */
interface ModelClient {
  path(stream: boolean): string;
  /** @param turns what was said so far, each with the results of its calls */
  body(prompt: string, turns: readonly (Said & { results: readonly string[] })[], stream: boolean): object;
  whole(body: Loose): Said;
  streamed(events: Loose[]): Said;
}

const tool = { name: "read", description: "Reads.", parameters: { type: "object", properties: {} } };

export const modelClients: Record<DialectName, ModelClient> = {
  "openai-chat": {
    path: () => "/v1/chat/completions",
    body: (prompt, turns, stream) => ({
      model: "m",
      stream,
      tools: [{ type: "function", function: tool }],
      messages: [
        { role: "user", content: prompt },
        ...turns.flatMap(({ text, calls, results }) => [
          {
            role: "assistant",
            content: text,
            ...(calls.length > 0 && {
              tool_calls: calls.map((call) => ({ id: call.id, type: "function", function: call })),
            }),
          },
          ...results.map((content, index) => ({ role: "tool", tool_call_id: calls[index]!.id, content })),
        ]),
      ],
    }),
    whole: ({ choices: [{ message }] }) => ({
      text: message.content ?? "",
      calls: (message.tool_calls ?? []).map((call: Loose) => ({ id: call.id, ...call.function })),
    }),
    streamed(events) {
      const said: Said = { text: "", calls: [] };
      for (const { delta } of events.flatMap(({ choices }) => choices)) {
        said.text += delta.content ?? "";
        for (const { index, id, function: part } of delta.tool_calls ?? []) {
          said.calls[index] ??= { id, name: part.name, arguments: "" };
          said.calls[index].arguments += part.arguments;
        }
      }
      return said;
    },
  },
  "openai-responses": {
    path: () => "/v1/responses",
    body: (prompt, turns, stream) => ({
      model: "m",
      stream,
      tools: [{ type: "namespace", name: "mcp__haft", tools: [{ type: "function", ...tool }] }],
      input: [
        { type: "message", role: "user", content: [{ type: "input_text", text: prompt }] },
        ...turns.flatMap(({ text, calls, results }) => [
          ...(text === ""
            ? []
            : [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }]),
          ...calls.map(({ id, ...call }) => ({ type: "function_call", call_id: id, ...call })),
          ...results.map((output, index) => ({
            type: "function_call_output",
            call_id: calls[index]!.id,
            output: [
              { type: "input_text", text: output },
              { type: "input_image", image_url: "data:image/png;base64,AA" },
            ],
          })),
          ...(results.length === 0 ? [{ type: "message", role: "user", content: "more" }] : []),
        ]),
      ],
    }),
    whole: ({ output }) => ofItems(output),
    streamed(events) {
      const done = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
      const deltas = events.filter(({ type }) => type === "response.output_text.delta");
      return { ...ofItems(done), text: deltas.map(({ delta }) => delta).join("") };
    },
  },
  anthropic: {
    path: () => "/v1/messages",
    body: (prompt, turns, stream) => ({
      model: "m",
      stream,
      max_tokens: 100,
      tools: [{ name: tool.name, description: tool.description, input_schema: tool.parameters }],
      messages: [
        { role: "user", content: prompt },
        ...turns.flatMap(({ text, calls, results }) => [
          {
            role: "assistant",
            content: [
              { type: "text", text },
              ...calls.map(({ id, name, arguments: args }) => ({
                type: "tool_use",
                id,
                name,
                input: JSON.parse(args),
              })),
            ],
          },
          ...(results.length === 0
            ? [{ role: "user", content: "more" }]
            : [
                {
                  role: "user",
                  content: results.map((content, index) => ({
                    type: "tool_result",
                    tool_use_id: calls[index]!.id,
                    content,
                  })),
                },
              ]),
        ]),
      ],
    }),
    whole: ({ content }) => ({
      text: content.map((block: Loose) => block.text ?? "").join(""),
      calls: content.flatMap((block: Loose) =>
        block.type === "tool_use"
          ? [{ id: block.id, name: block.name, arguments: JSON.stringify(block.input) }]
          : [],
      ),
    }),
    streamed(events) {
      const blocks: Loose[] = [];
      for (const { type, index, content_block: block, delta } of events) {
        if (type === "content_block_start") blocks[index] = { json: "", ...block };
        if (type === "content_block_delta") {
          blocks[index].text += delta.text ?? "";
          blocks[index].json += delta.partial_json ?? "";
        }
      }
      return {
        text: blocks.map(({ type, text }) => (type === "text" ? text : "")).join(""),
        calls: blocks.flatMap(({ type, id, name, json }) =>
          type === "tool_use" ? [{ id, name, arguments: json }] : [],
        ),
      };
    },
  },
  gemini: {
    path: (stream) =>
      stream ? "/v1beta/models/m:streamGenerateContent?alt=sse" : "/v1beta/models/m:generateContent",
    body: (prompt, turns) => ({
      tools: [{ functionDeclarations: [tool] }],
      contents: [
        { role: "user", parts: [{ text: prompt }] },
        ...turns.flatMap(({ text, calls, results }) => [
          {
            role: "model",
            parts: [
              ...(text === "" ? [] : [{ text }]),
              ...calls.map(({ id, name, arguments: args }) => ({
                functionCall: { id, name, args: JSON.parse(args) },
              })),
            ],
          },
          {
            role: "user",
            parts: results.map((output, index) => ({
              functionResponse: { id: calls[index]!.id, name: calls[index]!.name, response: { output } },
            })),
          },
        ]),
      ],
    }),
    whole: (body) => ofParts([body]),
    streamed: (events) => ofParts(events),
  },
};

function ofItems(items: Loose[]): Said {
  return {
    text: items.map(({ content }) => content?.[0]?.text ?? "").join(""),
    calls: items.flatMap(({ type, call_id: id, name, arguments: args, namespace }) =>
      type === "function_call" ? [{ id, name, arguments: args, namespace }] : [],
    ),
  };
}

function ofParts(chunks: Loose[]): Said {
  const parts = chunks.flatMap(({ candidates }) => candidates[0].content.parts);
  return {
    text: parts.map(({ text }) => text ?? "").join(""),
    calls: parts.flatMap(({ functionCall: call }) =>
      call ? [{ id: call.id, name: call.name, arguments: JSON.stringify(call.args) }] : [],
    ),
  };
}

/** The events of a stream, as far as they are JSON. */
export function eventsOf(text: string): Loose[] {
  return text
    .split(/\r?\n\r?\n/)
    .flatMap((event) => event.split("\n").filter((line) => line.startsWith("data: {")))
    .map((line) => JSON.parse(line.slice("data: ".length)) as unknown);
}
