import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { fakeModel } from "@langchain/core/testing";
import { tool } from "@langchain/core/tools";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { createAgent, createMiddleware } from "langchain";
import { expect, test } from "vitest";
import { toLangChain } from "../../src/langchain/index.ts";
import { openSession } from "../support/open-session.ts";
import { providerTools } from "../support/provider-tools.ts";

const open = (setup = {}) => openSession([providerTools], setup);

/** A model that makes these calls, and then says that it is done. */
const calling = (...calls: { id: string; name: string; args: Record<string, unknown> }[]) =>
  fakeModel().respondWithTools(calls).respond(new AIMessage("Done."));

const GO = { messages: [new HumanMessage("Go.")] };

/** Answers of a conversation, in short. */
const answers = (messages: readonly unknown[]) =>
  messages
    .filter((message): message is ToolMessage => ToolMessage.isInstance(message))
    .map(({ tool_call_id: id, content, status, name }) => ({ id, name, status, content }));

test("an agent of LangChain gets schemas, results, failures and images", async () => {
  await using session = await open();
  const { tools, hooks } = toLangChain(session, { tool, ToolMessage });
  const model = calling(
    { id: "a", name: "greet", args: { who: "Ada" } },
    { id: "b", name: "photo", args: {} },
    { id: "c", name: "greet", args: { nobody: 1 } },
    { id: "d", name: "foto", args: {} },
  );
  const agent = createAgent({ model, tools, middleware: [createMiddleware({ name: "haft", ...hooks })] });
  const { messages } = await agent.invoke(GO);
  expect(answers(messages)).toEqual([
    { id: "a", name: "greet", status: "success", content: "Hello, Ada." },
    {
      id: "b",
      name: "photo",
      status: "success",
      content: [
        { type: "text", text: "Before:" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
        { type: "text", text: "After." },
      ],
    },
    { id: "c", name: "greet", status: "error", content: expect.stringMatching(/^Error: Invalid arguments/) },
    { id: "d", name: "foto", status: "error", content: expect.stringMatching(/Did you mean photo\?/) },
  ]);
  expect(session.ledger()).toHaveLength(4);
});

test("an agent with its hooks gets repaired ids, and results for calls with invalid JSON", async () => {
  await using session = await open();
  const { tools, hooks } = toLangChain(session, { tool, ToolMessage });
  const said = new AIMessage({
    content: "",
    tool_calls: [
      { id: "a", name: "note", args: { line: "1" } },
      { id: "a", name: "note", args: { line: "2" } },
    ],
    invalid_tool_calls: [{ id: "b", name: "greet", args: '{"name":"Eve",}', error: "Unexpected token" }],
  });
  const again = new AIMessage({ content: "", tool_calls: [{ id: "a", name: "note", args: { line: "1" } }] });
  const model = fakeModel().respond(said).respond(again).respond(new AIMessage("Done."));
  const agent = createAgent({ model, tools, middleware: [createMiddleware({ name: "haft", ...hooks })] });
  const { messages } = await agent.invoke(GO);
  const given = answers(messages);
  expect(new Set(given.map(({ id }) => id)).size).toBe(4);
  expect(given.map(({ content }) => content)).toEqual(["noted", "noted", "Hello, Eve.", "noted"]);
});

test("shows models the tool's own schema, and leaves rejections to the session", async () => {
  await using session = await open();
  const { tools } = toLangChain(session, { tool, ToolMessage });
  expect(convertToOpenAITool(tools[0]!)).toMatchObject({
    type: "function",
    function: {
      name: "greet",
      description: "Greets somebody.",
      parameters: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
    },
  });
});

test("a custom loop gets repaired ids, and results for calls with invalid JSON", async () => {
  await using session = await open();
  const { tools, answer } = toLangChain(session, { tool, ToolMessage });
  const said = new AIMessage({
    content: "",
    tool_calls: [
      { id: "a", name: "greet", args: { name: "Ada" } },
      { id: "a", name: "greet", args: { name: "Bob" } },
    ],
    invalid_tool_calls: [
      { id: "c", name: "greet", args: '{"name":"Eve",}', error: "Unexpected token" },
      { id: "d", name: "greet", args: '{"name":"Ev', error: "Unexpected end" },
    ],
  });
  const model = fakeModel().respond(said).respond(new AIMessage("Done."));
  const conversation: BaseMessage[] = [new HumanMessage("Go.")];
  for (let more = true; more;) {
    const { messages, outcomes } = await answer(await model.bindTools(tools).invoke(conversation));
    conversation.push(...messages);
    more = outcomes.length > 0;
  }
  const [, asked] = conversation;
  expect(AIMessage.isInstance(asked)).toBe(true);
  const calls = (asked as AIMessage).tool_calls!;
  expect(new Set(calls.map(({ id }) => id)).size).toBe(4);
  expect(calls[3]).toMatchObject({ id: "d", args: { unreadable: '{"name":"Ev' } });
  expect((asked as AIMessage).toDict().data).toMatchObject({ tool_calls: calls, invalid_tool_calls: [] });
  expect(answers(conversation)).toMatchObject([
    { id: "a", status: "success", content: "Hello, Ada." },
    { id: calls[1]!.id, status: "success", content: "Hello, Bob." },
    { id: "c", status: "success", content: "Hello, Eve." },
    { id: "d", status: "error", content: expect.stringMatching(/not JSON/) as string },
  ]);
  // What the model said itself is not changed.
  expect(said.tool_calls?.map(({ id }) => id)).toEqual(["a", "a"]);
});

test.each([
  [{ type: "approve" }, "success", /^sent to ada$/, "completed"],
  [{ type: "reject", message: "Not her." }, "error", /denied[^]*Not her\.$/i, "failed"],
  [{ type: "maybe" }, "error", /denied/i, "failed"],
])("a graph stops for an approval: %j", async (decision, status, content, inLedger) => {
  await using session = await open({ rules: { ask: ["send"] } });
  const { tools } = toLangChain(session, { tool, ToolMessage, interrupt });
  const model = calling(
    { id: "a", name: "greet", args: { name: "Ada" } },
    { id: "b", name: "send", args: { to: "ada" } },
  );
  const agent = createAgent({ model, tools, checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: "1" } };
  const stopped = await agent.invoke(GO, config);
  expect(stopped).toMatchObject({
    __interrupt__: [
      {
        value: {
          actionRequests: [{ name: "send", args: { to: "ada" }, description: expect.any(String) as string }],
          reviewConfigs: [{ actionName: "send", allowedDecisions: ["approve", "reject"] }],
        },
      },
    ],
  });
  expect(session.ledger()).toMatchObject([{ toolCallId: "a", status: "completed" }]);
  const { messages } = await agent.invoke(new Command({ resume: { decisions: [decision] } }), config);
  expect(answers(messages)).toMatchObject([
    { id: "a", content: "Hello, Ada." },
    { id: "b", status, content: expect.stringMatching(content) as string },
  ]);
  // The first one ran once, although the graph was run again.
  expect(session.ledger()).toMatchObject([{ toolCallId: "a" }, { toolCallId: "b", status: inLedger }]);
});

test("without interrupt the model learns that its call waits", async () => {
  await using session = await open({ rules: { ask: ["send"] } });
  const { tools } = toLangChain(session, { tool, ToolMessage });
  const model = calling({ id: "b", name: "send", args: { to: "ada" } });
  const { messages } = await createAgent({ model, tools }).invoke(GO);
  expect(answers(messages)).toMatchObject([
    { status: "error", content: expect.stringMatching(/^Waiting for approval/) as string },
  ]);
  expect(session.pendingApprovals()).toHaveLength(1);
});

test("reports of a running tool are events of the tool, and an abort of the run aborts the call", async () => {
  await using session = await open();
  const aborter = new AbortController();
  const events: unknown[] = [];
  const { tools } = toLangChain(session, { tool, ToolMessage });
  const wait = tools.find(({ name }) => name === "wait")!;
  const ended = wait.invoke({ type: "tool_call", id: "w", name: "wait", args: {} }, {
    signal: aborter.signal,
    callbacks: [
      {
        handleToolEvent(event: unknown) {
          events.push(event);
          aborter.abort();
        },
      },
    ],
  } as RunnableConfig);
  await ended.catch(() => undefined);
  expect(events).toEqual([{ content: [{ type: "text", text: "waiting" }], details: {} }]);
  await expect.poll(() => session.ledger()).toMatchObject([{ toolCallId: "w", code: "CANCELLED" }]);
});

test("keeps the order of changing calls in one message", async () => {
  await using session = await open();
  const { tools } = toLangChain(session, { tool, ToolMessage });
  const model = calling(
    { id: "a", name: "note", args: { line: "1" } },
    { id: "b", name: "greet", args: { name: "Ada" } },
    { id: "c", name: "note", args: { line: "2" } },
  );
  await createAgent({ model, tools }).invoke(GO);
  const ends = session.ledger().map(({ startedAt, endedAt }) => [startedAt, endedAt]);
  expect(ends.flat()).toEqual(ends.flat().toSorted((one, other) => one! - other!));
});

test.each([
  ["nothing of LangChain", {}, /needs tool/],
  ["something else as tool", { tool: "tool", ToolMessage }, /^tool of toLangChain is "tool"/],
])("%s is refused", async (_what, given, message) => {
  await using session = await open();
  expect(() => toLangChain(session, given as never)).toThrow(message);
});
