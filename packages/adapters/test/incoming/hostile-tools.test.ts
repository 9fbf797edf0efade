import { jsonSchema } from "ai";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { fromAISDK } from "../../src/ai-sdk/index.ts";
import type { BridgeOptions } from "../../src/incoming/bridge-options.ts";
import { fromLangChain } from "../../src/langchain/index.ts";
import { fromMastra } from "../../src/mastra/index.ts";
import { fromOpenAIAgents } from "../../src/openai-agents/index.ts";
import { fromPi } from "../../src/pi/index.ts";
import { callOnce, memoryLogger, openSession, reasons, getText } from "../support/open-session.ts";

// What holds for every bridge, with tools of the AI SDK as the example: they can do most.
const inputSchema = jsonSchema({ type: "object", properties: {} });
const bridge = (execute: (...given: never[]) => unknown, options: Partial<BridgeOptions> = {}) =>
  fromAISDK({ it: { description: "It.", inputSchema, execute } }, { id: "t", effects: [], ...options });
const outcomeOf = (execute: () => unknown) => callOnce(bridge(execute), "it");

test.each([
  ["nothing", undefined, "(no output)"],
  ["null", null, "(no output)"],
  ["an empty text", "", "(no output)"],
  ["a number", 0, "0"],
  ["false", false, "false"],
  ["a big integer", 12345678901234567890n, "12345678901234567890"],
  ["a list of its own", [1, { a: 2 }], '[1,{"a":2}]'],
  ["a map", new Map([["a", 1n]]), '{"a":"1"}'],
  ["bytes in an object", { bytes: new Uint8Array(3) }, '{"bytes":"[3 bytes]"}'],
  ["a Buffer", Buffer.alloc(3), '"[3 bytes]"'],
  ["a Buffer in an object", { bytes: Buffer.alloc(3) }, '{"bytes":"[3 bytes]"}'],
  ["what only looks like a Buffer", { type: "Buffer", data: ["a"] }, '{"type":"Buffer","data":["a"]}'],
  [
    "an address whose % encodes nothing",
    { type: "file", data: "data:text/plain,100% sure" },
    "cannot be shown",
  ],
  ["lone surrogates", "a\uD800", "a�"],
  ["a list whose items have a type of their own", [{ type: "text" }], '[{"type":"text"}]'],
  [
    "what only looks like a part",
    { type: "file", url: "a.pdf", pages: 3 },
    '{"type":"file","url":"a.pdf","pages":3}',
  ],
  ["an image elsewhere", { type: "image", image: "https://img.example.com/a.png" }, "it was not fetched"],
  ["a document", { type: "file", mediaType: "application/pdf", data: "AQID" }, "it cannot be shown"],
])("it returns %s", async (_what, value, text) => {
  const outcome = await outcomeOf(() => value);
  expect(outcome).toMatchObject({ kind: "ok" });
  expect(getText(outcome)).toContain(text);
});

test("it returns a circle", async () => {
  const circle: Record<string, unknown> = { a: 1 };
  circle["self"] = circle;
  expect(getText(await outcomeOf(() => [circle]))).toBe('[{"a":1,"self":"[circular]"}]');
});

test.each([
  ["an error", new Error("out of ink"), "out of ink"],
  ["a function", () => 1, "returned a function"],
  ["a Response", new Response("body"), "returned Response"],
  ["a stream of bytes", new ReadableStream(), "returned ReadableStream"],
  [
    "what throws when it is read",
    {
      get a() {
        throw new Error("do not look");
      },
    },
    "do not look",
  ],
])("it returns %s, which is a failure", async (_what, value, text) => {
  const outcome = await outcomeOf(() => value);
  expect(outcome).toMatchObject({ kind: "error", code: "BRIDGED_TOOL_FAILED" });
  expect(getText(outcome)).toContain(text);
});

test.each([
  ["a text", "boom", "boom"],
  ["nothing", undefined, "undefined"],
  ["an object", { message: "inner" }, "inner"],
])("it throws %s", async (_what, thrown, text) => {
  const outcome = await outcomeOf(() => {
    // oxlint-disable-next-line only-throw-error
    throw thrown;
  });
  expect(outcome).toMatchObject({ kind: "error", code: "TOOL_FAILED" });
  expect(getText(outcome)).toContain(text);
});

test.each([
  [
    "without ever waiting",
    async function* () {
      for (let n = 0; ; n++) yield n;
    },
  ],
  [
    "and waits for what never comes",
    async function* () {
      yield 1;
      await new Promise(() => {});
    },
  ],
])("it streams for ever, %s: its deadline ends it", async (_what, execute) => {
  await using session = await openSession([bridge(execute)]);
  const outcome = await session.call({ name: "it", arguments: {} }, { deadlineMs: 20 });
  expect(outcome).toMatchObject({ kind: "error", code: "DEADLINE_EXCEEDED" });
});

test("notifies an abandoned stream", async () => {
  let left = false;
  const stream = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => {}),
      return: async () => {
        left = true;
        return { done: true };
      },
    }),
  };
  const aborter = new AbortController();
  const plugin = bridge(() => {
    setImmediate(() => aborter.abort());
    return stream;
  });
  await using session = await openSession([plugin]);
  const outcome = await session.call({ name: "it", arguments: {} }, { signal: aborter.signal });
  expect(outcome).toMatchObject({ kind: "cancelled" });
  expect(left).toBe(true);
});

test("shows the model a part of 5 MB, with the location of the rest", async () => {
  const lines = "0123456789abcde\n".repeat(5 * 2 ** 16);
  for (const value of [lines, { lines }]) {
    const outcome = await outcomeOf(() => value);
    expect(outcome).toMatchObject({ kind: "ok" });
    expect(getText(outcome).length).toBeLessThan(140_000);
    expect(getText(outcome)).toContain("[Cut: ");
    expect(JSON.stringify(outcome.details).length).toBeLessThan(110_000);
  }
});

test("assumes all effects and possible repetition for an undeclared tool", async () => {
  let calls = 0;
  const plugin = fromAISDK({ it: { inputSchema, execute: () => ++calls } }, { id: "t" });
  const logger = memoryLogger();
  await using session = await openSession([plugin], { logger });
  expect(await session.call({ name: "it", arguments: {} })).toMatchObject({ receipt: "committed" });
  expect(getText(await session.call({ name: "it", arguments: {} }))).toBe("2");
  expect(logger.lines.join()).toContain("Nobody says what it does");
});

test("tells the approver that it runs without a sandbox", async () => {
  await using session = await openSession([bridge(() => 1)], { rules: { ask: ["it"] } });
  const { plan } = await session.explain("it", {});
  expect(JSON.stringify(plan?.preview)).toContain("in no sandbox");
  expect(JSON.stringify(plan?.preview)).toContain("it {}");
});

test("offers it in a sandboxed session only with a grant, and reports each call", async () => {
  const sandbox = {
    describe: () => ({ target: "sandbox" as const, cwd: "/", mounts: [], boundary: "none" as const }),
  };
  const open = { kind: "sandboxed" as const, workspace: { ...sandbox, fs: undefined as never } };
  await using denied = await openSession([bridge(() => 1)], { open });
  expect(denied.tools()).toEqual([]);
  const logger = memoryLogger();
  const rules = { sessions: { sandboxed: { grant: ["it"] } } };
  await using granted = await openSession([bridge(() => 1)], { open, rules, logger });
  expect(await granted.call({ name: "it", arguments: {} })).toMatchObject({ kind: "ok" });
  expect(logger.lines.join()).toContain("it runs in the process of the host, outside of the sandbox");
});

test("a name that Haft does not have is mapped, and still understood", async () => {
  const plugin = fromAISDK(
    { "web.search": { inputSchema, execute: () => "found" } },
    { id: "t", effects: [] },
  );
  await using session = await openSession([plugin]);
  expect(session.tools().map(({ name }) => name)).toEqual(["web_search"]);
  expect(getText(await session.call({ name: "web.search", arguments: {} }))).toBe("found");
});

test("another copy of the framework makes no difference", async () => {
  // Where pnpm puts what a package needs: beside it.
  const ai = realpathSync(join(import.meta.dirname, "../../node_modules/ai"));
  const utilities = pathToFileURL(join(ai, "../@ai-sdk/provider-utils/dist/index.js")).href;
  const other = (await import(`${utilities}?copy`)) as { jsonSchema: typeof jsonSchema };
  expect(other.jsonSchema).not.toBe(jsonSchema);
  const it = { inputSchema: other.jsonSchema({ type: "object" }), execute: async () => "copied" };
  expect(getText(await callOnce(fromAISDK({ it }, { id: "t", effects: [] }), "it"))).toBe("copied");
});

test("reports the second of two plugins with one name, and reaches it by its id", async () => {
  const [one, two] = ["one", "two"].map((id) =>
    fromAISDK({ it: { inputSchema, execute: () => id } }, { id, effects: [] }),
  );
  await using session = await openSession([one!, two!]);
  expect(getText(await session.call({ name: "it", arguments: {} }))).toBe("one");
  expect(getText(await session.call({ name: "two/it", arguments: {} }))).toBe("two");
  expect(reasons(session).join()).toContain("it");
});

test.each([
  ["an effect that is none", { effects: { it: ["reads"] } }, 'effects has "reads" for it'],
  ["effects of a tool that is not there", { effects: { its: ["read"] } }, 'effects names "its"'],
  ["a name for a tool that is not there", { rename: { its: "x" } }, 'rename names "its"'],
  ["an option that is none", { effect: [] }, 'no option "effect"'],
  ["no id", { id: undefined }, "needs an id"],
])("options with %s are refused", (_what, options, message) => {
  expect(() => bridge(() => 1, options as unknown as BridgeOptions)).toThrow(message);
});

test("no options at all are refused, by every bridge", async () => {
  const none = undefined as never;
  for (const bridge of [fromAISDK, fromLangChain, fromMastra, fromOpenAIAgents])
    expect(() => bridge([] as never, none)).toThrow(/needs an id|takes an object/);
  await expect(fromPi({ execute() {} }, none)).rejects.toThrow("needs an id");
});

test("shows a long description in full", async () => {
  const description = "All about it. ".repeat(200).trim();
  const plugin = fromAISDK({ it: { description, inputSchema, execute: () => 1 } }, { id: "t" });
  await using session = await openSession([plugin]);
  expect(session.tools()[0]?.description).toBe(description);
});

test("the module that made the plugin is known, for hosts that guard it", () => {
  expect(bridge(() => 1).source).toBe(import.meta.filename);
});
