import { definePlugin, defineTool, text } from "@haft/core";
import { Type } from "@sinclair/typebox";
import { isStepCount, streamText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { toAISDK } from "../../src/ai-sdk/index.ts";
import { openSession } from "../support/open-session.ts";
import { providerTools } from "../support/provider-tools.ts";

const talker = definePlugin({
  id: "s",
  tools: [
    defineTool({
      name: "steps",
      description: "Says what it does.",
      parameters: Type.Object({}),
      effects: [],
      execute: (_id, _params, _signal, onUpdate) => {
        onUpdate?.({ content: [text("one")], details: {} });
        onUpdate?.({ content: [text("two")], details: {} });
        return { content: [text("both")], details: {} };
      },
    }),
  ],
});

const open = () => openSession([providerTools, talker]);

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** A model that calls `steps` once, and then says nothing. */
function model(): MockLanguageModelV4 {
  const asked: MockLanguageModelV4 = new MockLanguageModelV4({
    doStream: async () => {
      const isFirst = asked.doStreamCalls.length === 1;
      const finishReason = { unified: isFirst ? ("tool-calls" as const) : ("stop" as const), raw: undefined };
      const call = { type: "tool-call" as const, toolCallId: "c", toolName: "steps", input: "{}" };
      return {
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: "stream-start", warnings: [] });
            if (isFirst) controller.enqueue(call);
            controller.enqueue({ type: "finish", finishReason, usage });
            controller.close();
          },
        }),
      };
    },
  });
  return asked;
}

test("with progress, what a running tool reports is a preliminary result in the stream, and the model reads the last", async () => {
  await using session = await open();
  const asked = model();
  const { stream } = streamText({
    model: asked,
    prompt: "Go.",
    ...toAISDK(session, { progress: true }),
    stopWhen: isStepCount(5),
  });
  const seen: unknown[] = [];
  for await (const part of stream)
    if (part.type === "tool-result")
      seen.push([part.preliminary ?? false, (part.output as { kind: string }).kind]);
  // The SDK tells of the last one twice.
  expect(seen).toEqual([
    [true, "running"],
    [true, "running"],
    [true, "ok"],
    [false, "ok"],
  ]);
  const last = asked.doStreamCalls.at(-1)!.prompt.at(-1)!;
  expect(JSON.stringify(last.content)).toContain('{"type":"text","value":"both"}');
});

test("what reads runs at once, and what changes something keeps its place", async () => {
  await using session = await open();
  const { tools: offered } = toAISDK(session);
  const begun: string[] = [];
  session.subscribe((event) => {
    if (event.type === "tool-start" || event.type === "tool-end")
      begun.push(`${event.toolCallId} ${event.type === "tool-end" ? "ends" : "begins"}`);
  });
  const call = (id: string, name: string, input: object) => offered[name]!.execute(input, { toolCallId: id });
  await Promise.all([
    call("a", "photo", {}),
    call("b", "photo", {}),
    call("c", "send", { to: "ada" }),
    call("d", "photo", {}),
  ]);
  expect(begun.indexOf("b begins")).toBeLessThan(begun.indexOf("a ends"));
  expect(begun.slice(4)).toEqual(["c begins", "c ends", "d begins", "d ends"]);
});

test.each([
  ["what only reads runs again under another id", "photo", {}, ["ok", "ok"], 2],
  ["what changes something does not run twice", "send", { to: "ada" }, ["ok", "error"], 1],
])("an id that is used again, for the very same call: %s", async (_what, name, input, kinds, runs) => {
  await using session = await open();
  const { tools: offered } = toAISDK(session);
  const outcomes = [];
  for (let at = 0; at < 2; at++) outcomes.push(await offered[name]!.execute(input, { toolCallId: "call_0" }));
  expect(outcomes.map(({ kind }) => kind)).toEqual(kinds);
  expect(session.ledger().filter(({ status }) => status === "completed")).toHaveLength(runs);
});

test("an id that is used again, for another call, is no redelivery", async () => {
  await using session = await open();
  const { send } = toAISDK(session).tools;
  const outcomes = [];
  for (const to of ["ada", "bob"]) outcomes.push(await send!.execute({ to }, { toolCallId: "call_0" }));
  expect(outcomes.map(({ kind }) => kind)).toEqual(["ok", "ok"]);
});
