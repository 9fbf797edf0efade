import { dynamicTool, jsonSchema, tool } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { fromAISDK } from "../../src/ai-sdk/index.ts";
import { callOnce, memoryLogger, openSession, reasons, getText } from "../support/open-session.ts";

const weather = tool({
  description: "The weather of a city.",
  inputSchema: z.object({ city: z.string(), days: z.number().int().default(1) }),
  execute: async ({ city, days }) => ({ city, days, degrees: 21 }),
});

test("a tool with a zod schema: defaults of the schema reach it, its object is JSON for the model and details", async () => {
  await using session = await openSession([fromAISDK({ weather }, { id: "w", effects: ["network"] })]);
  expect(session.diagnostics()).toEqual([]);
  expect(session.tools()).toMatchObject([
    {
      name: "weather",
      description: "The weather of a city.",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  ]);
  const outcome = await session.call({ name: "weather", arguments: '{"city":"Oslo"}' });
  expect(outcome).toMatchObject({ kind: "ok", details: { city: "Oslo", days: 1, degrees: 21 } });
  expect(getText(outcome)).toBe('{"city":"Oslo","days":1,"degrees":21}');
});

test("passes id, signal and context of the SDK to a tool, and not the recorded arguments", async () => {
  const seen: unknown[] = [];
  const tools = {
    note: dynamicTool({
      description: "Takes a note.",
      inputSchema: jsonSchema({ type: "object", properties: { tags: { type: "array" } } }),
      execute: (input, { toolCallId, abortSignal, messages, context }) => {
        seen.push({ toolCallId, messages, context, signal: abortSignal instanceof AbortSignal });
        (input as { tags: string[] }).tags.push("changed");
        return "noted";
      },
    }),
  };
  const plugin = fromAISDK(tools, { id: "n", effects: [], toolsContext: { note: { user: "ada" } } });
  await using session = await openSession([plugin]);
  const outcome = await session.call({ id: "call_7", name: "note", arguments: { tags: ["a"] } });
  expect(getText(outcome)).toBe("noted");
  expect(seen).toEqual([{ toolCallId: "call_7", messages: [], context: { user: "ada" }, signal: true }]);
  expect(session.ledger()[0]?.args).toEqual({ tags: ["a"] });
});

test("arguments that its own schema refuses do not reach it, with the library's own words", async () => {
  const even = tool({
    inputSchema: z.object({ n: z.number().refine((n) => n % 2 === 0, "must be even") }),
    execute: (): string => expect.unreachable(),
  });
  const outcome = await callOnce(fromAISDK({ even }, { id: "e" }), "even", { n: 3 });
  expect(outcome).toMatchObject({ kind: "error", code: "INVALID_ARGUMENTS", receipt: "none" });
  expect(getText(outcome)).toContain("n: must be even");
});

test("reports yielded values at once and returns the last", async () => {
  const count = tool({
    inputSchema: z.object({}),
    async *execute() {
      yield "one";
      yield "one two";
    },
  });
  await using session = await openSession([fromAISDK({ count }, { id: "c" })]);
  const updates: string[] = [];
  const outcome = await session.call(
    { name: "count", arguments: {} },
    {
      onUpdate: ({ content }) =>
        updates.push(...content.flatMap((block) => ("text" in block ? block.text : []))),
    },
  );
  expect(updates).toEqual(["one", "one two"]);
  expect(getText(outcome)).toBe("one two");
});

test("toModelOutput defines the text and images for the model; the return value stays in details", async () => {
  const photo = tool({
    inputSchema: z.object({}),
    execute: async () => ({ pixels: "AQID", taken: 7 }),
    toModelOutput: ({ output }) => ({
      type: "content",
      value: [
        { type: "text", text: "Here:" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: output.pixels } },
      ],
    }),
  });
  const outcome = await callOnce(fromAISDK({ photo }, { id: "p" }), "photo");
  expect(outcome).toMatchObject({ kind: "ok", details: { pixels: "AQID", taken: 7 } });
  expect(outcome.content).toEqual([
    { type: "text", text: "Here:" },
    { type: "image", data: "AQID", mimeType: "image/png" },
  ]);
});

test.each([
  ["error-text", "no such page", "no such page"],
  ["error-json", { status: 404 }, '{"status":404}'],
])("toModelOutput may say that it failed: %s", async (type, value, told) => {
  const page = tool({
    inputSchema: z.object({}),
    execute: async () => null,
    toModelOutput: () => ({ type, value }) as never,
  });
  const outcome = await callOnce(fromAISDK({ page }, { id: "p" }), "page");
  expect(outcome).toMatchObject({ kind: "error", code: "BRIDGED_TOOL_FAILED" });
  expect(getText(outcome)).toContain(told);
});

test("a tool with approval needs one if policy allows the tool, and runs after it", async () => {
  let ran = 0;
  const pay = tool({
    inputSchema: z.object({ amount: z.number() }),
    // As tools of version 6 say it.
    // oxlint-disable-next-line no-deprecated
    needsApproval: async ({ amount }) => amount > 10,
    execute: () => `paid ${++ran}`,
  });
  const plugin = fromAISDK({ pay }, { id: "p", effects: ["message"] });
  await using session = await openSession([plugin], { approvalMode: "pending" });
  expect(getText(await session.call({ name: "pay", arguments: { amount: 1 } }))).toBe("paid 1");
  const outcome = await session.call({ name: "pay", arguments: { amount: 11 } });
  expect(outcome).toMatchObject({ kind: "pending" });
  expect(String(outcome.details["prompt"])).toContain("The author of pay wants somebody asked");
  expect(String(outcome.details["prompt"])).toContain("in no sandbox");
  const { approvalId } = outcome as { approvalId: string };
  expect(getText(await session.resolveApproval(approvalId, "allow-once"))).toBe("paid 2");
});

test("tools that cannot be called here are left out, each with its reason; the others work", async () => {
  const tools = {
    weather,
    search: {
      type: "provider",
      id: "openai.web_search",
      isProviderExecuted: true,
      args: {},
      inputSchema: z.object({}),
    },
    ask_user: tool({ inputSchema: z.object({}), outputSchema: z.string() }),
    old: { description: "Of version 4.", parameters: z.object({}), execute: async () => 1 },
    zod3: { inputSchema: z3.object({}), execute: async () => 1 },
    text: { inputSchema: z.string(), execute: async () => 1 },
    broken: null as never,
  };
  await using session = await openSession([fromAISDK(tools, { id: "t", effects: [] })]);
  expect(session.tools().map(({ name }) => name)).toEqual(["weather"]);
  const told = reasons(session).join("\n");
  expect(told).toContain("search is run by its provider (openai.web_search)");
  expect(told).toContain("ask_user has no execute");
  expect(told).toContain("old is made for AI SDK 4 or older");
  expect(told).toContain("zod3 has a schema of zod that cannot say its JSON Schema");
  expect(told).toContain("text takes something else than an object of parameters");
  expect(told).toContain("broken is no tool");
  const outcome = await session.call({ name: "search", arguments: {} });
  expect(getText(outcome)).toContain("is run by its provider");
});

test("toJsonSchema helps schemas that cannot say their own", async () => {
  const zod3 = { inputSchema: z3.object({ n: z3.number() }), execute: async ({ n }: { n: number }) => n + 1 };
  const toJsonSchema = () => ({ type: "object", properties: { n: { type: "number" } }, required: ["n"] });
  const outcome = await callOnce(fromAISDK({ zod3 }, { id: "z", toJsonSchema }), "zod3", { n: 1 });
  expect(getText(outcome)).toBe("2");
});

test("a lazy schema, and one whose JSON Schema is a promise", async () => {
  const tools = {
    lazy: { inputSchema: () => jsonSchema({ type: "object", properties: {} }), execute: () => "lazy" },
    late: { inputSchema: jsonSchema(Promise.resolve({ type: "object" as const })), execute: () => "late" },
  };
  await using session = await openSession([fromAISDK(tools, { id: "l" })]);
  expect(session.diagnostics()).toEqual([]);
  expect(session.tools().map(({ name }) => name)).toEqual(["lazy", "late"]);
});

test("assumes all effects for an undeclared tool, and logs it", async () => {
  const logger = memoryLogger();
  await using session = await openSession([fromAISDK({ weather }, { id: "w" })], {
    logger,
    rules: { deny: ["effect:write"] },
  });
  expect(session.missing()).toMatchObject([{ name: "weather", code: "POLICY_DENIED" }]);
});
