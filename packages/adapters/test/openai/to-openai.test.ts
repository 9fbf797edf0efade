import type {
  ChatCompletionMessage,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from "openai/resources/chat/completions";
import type {
  FunctionTool,
  ResponseInputItem,
  ResponseOutputItem,
} from "openai/resources/responses/responses";
import { expect, test } from "vitest";
import { toOpenAI } from "../../src/openai/index.ts";
import { golden } from "../support/golden.ts";
import { openSession } from "../support/open-session.ts";
import { providerTools } from "../support/provider-tools.ts";

const open = (setup = {}) => openSession([providerTools], setup);

type ChatCall = NonNullable<ChatCompletionMessage["tool_calls"]>[number];

function chatCall(id: string, name: string, args: unknown): ChatCall {
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return { id, type: "function", function: { name, arguments: text } };
}

function message(...calls: ChatCall[]): ChatCompletionMessage {
  return { role: "assistant", content: null, refusal: null, tool_calls: calls };
}

function item(call_id: string, name: string, args: unknown): ResponseOutputItem {
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return { type: "function_call", call_id, name, arguments: text };
}

test("chat completions: tools and a whole turn, as the SDK has their types", async () => {
  await using session = await open();
  const { tools, answer, notes } = toOpenAI(session);
  const offered: ChatCompletionTool[] = tools;
  const { messages, outcomes } = await answer(
    message(
      chatCall("call_1", "greet", { name: "Ada", times: null }),
      chatCall("call_2", "photo", {}),
      chatCall("call_3", "scan", ""),
      chatCall("call_4", "foto", {}),
    ),
  );
  const conversation: ChatCompletionMessageParam[] = [{ role: "user", content: "Go." }, ...messages];
  const { sent, file } = golden(import.meta.dirname, "chat", { tools: offered, notes, conversation });
  expect(sent).toEqual(file);
  expect(outcomes.map(({ kind }) => kind)).toEqual(["ok", "ok", "ok", "error"]);
  expect(session.ledger().map(({ toolCallId }) => toolCallId)).toEqual([
    "call_1",
    "call_2",
    "call_3",
    "call_4",
  ]);
});

test("responses: tools and a whole turn, as the SDK has their types", async () => {
  await using session = await open();
  const { tools, answer, notes } = toOpenAI(session, { api: "responses", strict: false });
  const offered: FunctionTool[] = tools;
  const output: ResponseOutputItem[] = [
    { type: "reasoning", id: "rs_1", summary: [] },
    item("call_1", "greet", { name: "Ada" }),
    item("call_2", "photo", {}),
    item("call_3", "scan", {}),
    { type: "custom_tool_call", call_id: "call_4", name: "gret", input: "Ada" },
  ];
  const { messages, results } = await answer(output);
  // The SDK's types say that not every item of a response may be sent back: its own examples need a cast there, too.
  const input = messages as ResponseInputItem[];
  const alone: ResponseInputItem[] = results;
  expect(alone).toEqual(input.slice(5));
  const { sent, file } = golden(import.meta.dirname, "responses", { tools: offered, notes, input });
  expect(sent).toEqual(file);
});
