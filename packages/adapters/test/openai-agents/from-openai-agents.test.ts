import { tool, type RunContext } from "@openai/agents-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { fromOpenAIAgents } from "../../src/openai-agents/index.ts";
import { callOnce, openSession, reasons, getText } from "../support/open-session.ts";

const weather = tool({
  name: "get_weather",
  description: "The weather of a city.",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }, _runContext, details) => ({ city, call: details?.toolCall?.callId }),
});

test("a strict tool: its JSON Schema is offered, its input arrives parsed, its object is JSON for the model", async () => {
  await using session = await openSession([fromOpenAIAgents([weather], { id: "w", effects: ["network"] })]);
  expect(session.diagnostics()).toEqual([]);
  expect(session.tools()).toMatchObject([
    { name: "get_weather", parameters: { properties: { city: { type: "string" } }, required: ["city"] } },
  ]);
  const outcome = await session.call({ id: "call_9", name: "get_weather", arguments: { city: "Oslo" } });
  expect(outcome).toMatchObject({ kind: "ok", details: { city: "Oslo", call: "call_9" } });
});

test("a tool that is not strict, with plain JSON Schema, and an image", async () => {
  const photo = tool({
    name: "photo",
    description: "Takes a photo.",
    strict: false,
    parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
    execute: async () => [
      { type: "text", text: "Here:" },
      { type: "image", image: { data: "AQID", mediaType: "image/png" } },
    ],
  });
  const outcome = await callOnce(fromOpenAIAgents([photo], { id: "p" }), "photo");
  expect(outcome.content).toEqual([
    { type: "text", text: "Here:" },
    { type: "image", data: "AQID", mimeType: "image/png" },
  ]);
});

test("a tool that throws: the SDK's default text is an error here, and with errorFunction: null its own message", async () => {
  const parts = { description: "Fails.", parameters: z.object({}) };
  const fail = () => {
    // What old code throws.
    // oxlint-disable-next-line only-throw-error, no-throw-literal
    throw "the disk is full";
  };
  const hidden = tool({ ...parts, name: "hidden", execute: fail });
  const open = tool({ ...parts, name: "open", execute: fail, errorFunction: null });
  const plugin = fromOpenAIAgents([hidden, open], { id: "f", effects: [] });
  await using session = await openSession([plugin]);
  const first = await session.call({ name: "hidden", arguments: {} });
  expect(first).toMatchObject({ kind: "error", code: "BRIDGED_TOOL_FAILED" });
  const second = await session.call({ name: "open", arguments: {} });
  expect(second).toMatchObject({ kind: "error", code: "TOOL_FAILED" });
  expect(getText(second)).toContain("the disk is full");
});

test("calls needsApproval with the arguments, and isEnabled for each session with the operator's context", async () => {
  const seen: unknown[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays.",
    parameters: z.object({ amount: z.number() }),
    needsApproval: async (_context, { amount }) => amount > 10,
    isEnabled: ({ runContext }: { runContext: RunContext }) =>
      (runContext.context as { paying: boolean }).paying,
    execute: async ({ amount }, runContext) => {
      seen.push(runContext?.context);
      return `paid ${amount}`;
    },
  });
  const bridge = (paying: boolean) =>
    fromOpenAIAgents([pay], { id: "p", effects: ["message"], runContext: () => ({ context: { paying } }) });
  await using session = await openSession([bridge(true)], { approvalMode: "pending" });
  expect(getText(await session.call({ name: "pay", arguments: { amount: 5 } }))).toBe("paid 5");
  expect(seen).toEqual([{ paying: true }]);
  expect(await session.call({ name: "pay", arguments: { amount: 50 } })).toMatchObject({ kind: "pending" });
  await using other = await openSession([bridge(false)]);
  expect(other.tools()).toEqual([]);
  expect(other.missing()).toMatchObject([{ name: "pay", code: "TOOL_WITHHELD" }]);
});

test("rules about effects hold for tools that are made for each session", async () => {
  const plugin = fromOpenAIAgents([weather], { id: "w", effects: ["network"] });
  await using session = await openSession([plugin], { rules: { deny: ["effect:network"] } });
  expect(session.missing()).toMatchObject([{ name: "get_weather", code: "POLICY_DENIED" }]);
});

test("an abort reaches the tool", async () => {
  const aborter = new AbortController();
  let stopped = false;
  const slow = tool({
    name: "slow",
    description: "Waits.",
    parameters: z.object({}),
    execute: (_input, _context, details) =>
      new Promise<string>((_, reject) => {
        setImmediate(() => aborter.abort());
        details?.signal?.addEventListener("abort", () => {
          stopped = true;
          reject(new Error("stopped"));
        });
      }),
  });
  await using session = await openSession([fromOpenAIAgents([slow], { id: "s" })]);
  const outcome = await session.call({ name: "slow", arguments: {} }, { signal: aborter.signal });
  expect(outcome).toMatchObject({ kind: "cancelled" });
  expect(stopped).toBe(true);
});

test("omits tools that only the SDK's runner or OpenAI can run, with the reason", async () => {
  const guarded = tool({
    name: "guarded",
    description: "Has a guardrail.",
    parameters: z.object({}),
    execute: async () => "unchecked",
    inputGuardrails: [{ name: "no", run: async () => ({ behavior: { type: "allow" as const } }) }],
  });
  const search = { type: "hosted_tool", name: "web_search", providerData: {} };
  const shell = { type: "shell", name: "shell" };
  await using session = await openSession([
    fromOpenAIAgents([weather, guarded, search, shell], { id: "m", effects: [] }),
  ]);
  expect(session.tools().map(({ name }) => name)).toEqual(["get_weather"]);
  const told = reasons(session).join("\n");
  expect(told).toContain("guarded has guardrails");
  expect(told).toContain("web_search is run by OpenAI");
  expect(told).toContain("shell is no function tool (shell)");
});
