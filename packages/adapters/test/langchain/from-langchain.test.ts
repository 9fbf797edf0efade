import { DynamicTool, tool } from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { fromLangChain } from "../../src/langchain/index.ts";
import { callOnce, openSession, reasons, getText } from "../support/open-session.ts";

const add = tool(({ a, b }: { a: number; b: number }) => a + b, {
  name: "add",
  description: "Adds.",
  schema: z.object({ a: z.number(), b: z.number().default(1) }),
});

test("a tool with a zod schema: its defaults hold", async () => {
  await using session = await openSession([fromLangChain([add], { id: "a", effects: [] })]);
  expect(session.diagnostics()).toEqual([]);
  expect(session.tools()).toMatchObject([{ name: "add", parameters: { required: ["a"] } }]);
  expect(getText(await session.call({ name: "add", arguments: { a: 2 } }))).toBe("3");
});

test("plain JSON Schema, parts with an image, and an artifact", async () => {
  const photo = tool(
    async () => [
      [
        { type: "text", text: "Here:" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
      ],
      { taken: 7 },
    ],
    {
      name: "photo",
      description: "Takes a photo.",
      schema: { type: "object", properties: {} },
      responseFormat: "content_and_artifact",
    },
  );
  const outcome = await callOnce(fromLangChain([photo], { id: "p" }), "photo");
  expect(outcome).toMatchObject({ kind: "ok", details: { taken: 7 } });
  expect(outcome.content).toEqual([
    { type: "text", text: "Here:" },
    { type: "image", data: "AQID", mimeType: "image/png" },
  ]);
});

test("a tool of the older kind takes a text", async () => {
  const upper = new DynamicTool({
    name: "upper",
    description: "Upper case.",
    func: async (input: string) => input.toUpperCase(),
  });
  const outcome = await callOnce(fromLangChain([upper], { id: "u", effects: [] }), "upper", { input: "abc" });
  expect(getText(outcome)).toBe("ABC");
});

test("reports the values of a generator at once", async () => {
  const steps = tool(
    async function* () {
      yield "half";
      return "whole";
    },
    { name: "steps", description: "In steps.", schema: z.object({}) },
  );
  await using session = await openSession([fromLangChain([steps], { id: "s" })]);
  const updates: unknown[] = [];
  const outcome = await session.call(
    { name: "steps", arguments: {} },
    { onUpdate: ({ content }) => updates.push(content) },
  );
  expect(getText(outcome)).toBe("whole");
  expect(updates).toEqual([[{ type: "text", text: "half" }]]);
});

test("an abort ends the call, and the configuration reaches the tool", async () => {
  const aborter = new AbortController();
  const parts = { description: "It.", schema: z.object({}) };
  const who = tool((_input, config) => String(config.configurable?.["user"]), { ...parts, name: "who" });
  let stopped = false;
  const slow = tool(
    (_input, config) => {
      setImmediate(() => aborter.abort());
      config.signal?.addEventListener("abort", () => (stopped = true));
      return new Promise<string>(() => {});
    },
    { ...parts, name: "slow" },
  );
  const plugin = fromLangChain([who, slow], { id: "c", effects: [], configurable: { user: "ada" } });
  await using session = await openSession([plugin]);
  expect(getText(await session.call({ name: "who", arguments: {} }))).toBe("ada");
  const outcome = await session.call({ name: "slow", arguments: {} }, { signal: aborter.signal });
  expect(outcome).toMatchObject({ kind: "cancelled" });
  expect(stopped).toBe(true);
});

test("zod 3 needs LangChain's own converter", async () => {
  const old = tool(({ n }: { n: number }) => `${n}`, {
    name: "old",
    description: "Old.",
    schema: z3.object({ n: z3.number() }) as never,
  });
  await using without = await openSession([fromLangChain([old], { id: "o" })]);
  expect(reasons(without)[0]).toContain("old has a schema of zod that cannot say its JSON Schema");
  const outcome = await callOnce(fromLangChain([old], { id: "o", effects: [], toJsonSchema }), "old", {
    n: 4,
  });
  expect(getText(outcome)).toBe("4");
});

test("handles a tool that throws, and a tool that a provider runs", async () => {
  const failing = tool(
    () => {
      throw new Error("out of paper");
    },
    { name: "print", description: "Prints.", schema: z.object({}) },
  );
  const server = { type: "web_search_20250305", name: "web_search" };
  await using session = await openSession([fromLangChain([failing, server], { id: "p", effects: [] })]);
  const outcome = await session.call({ name: "print", arguments: {} });
  expect(outcome).toMatchObject({ kind: "error", code: "TOOL_FAILED" });
  expect(getText(outcome)).toContain("out of paper");
  expect(reasons(session).join()).toContain("web_search has no invoke");
});
