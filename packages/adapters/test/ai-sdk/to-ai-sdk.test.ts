import { definePlugin, defineTool, text } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { Type } from "@sinclair/typebox";
import { generateText, isStepCount, streamText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { toAISDK, type ToAISDKOptions } from "../../src/ai-sdk/index.ts";
import { openSession, type TestSession } from "../support/open-session.ts";
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

const open = (setup: TestSession = {}) => openSession([providerTools, talker], setup);

interface Call {
  toolName: string;
  /** JSON, or text that is none. */
  input: unknown;
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** A model that makes these calls, one in each step, and then says that it is done. */
function model(...calls: Call[]): MockLanguageModelV4 {
  let step = 0;
  const next = () => {
    const call = calls[step++];
    if (call === undefined) return undefined;
    const input = typeof call.input === "string" ? call.input : JSON.stringify(call.input);
    return { type: "tool-call" as const, toolCallId: `call_${step}`, toolName: call.toolName, input };
  };
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const call = next();
      return {
        content: [call ?? { type: "text" as const, text: "Done." }],
        finishReason: { unified: call ? ("tool-calls" as const) : ("stop" as const), raw: undefined },
        usage,
        warnings: [],
      };
    },
    doStream: async () => {
      const call = next();
      const said = [
        { type: "text-start" as const, id: "1" },
        { type: "text-delta" as const, id: "1", delta: "Done." },
        { type: "text-end" as const, id: "1" },
      ];
      const finishReason = { unified: call ? ("tool-calls" as const) : ("stop" as const), raw: undefined };
      return {
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: "stream-start", warnings: [] });
            for (const part of call ? [call] : said) controller.enqueue(part);
            controller.enqueue({ type: "finish", finishReason, usage });
            controller.close();
          },
        }),
      };
    },
  });
}

/** What the model was told of its calls. */
function told(asked: MockLanguageModelV4): unknown[] {
  const prompts = [...asked.doGenerateCalls, ...asked.doStreamCalls].map(({ prompt }) => prompt);
  return (prompts.at(-1) ?? []).flatMap((message) =>
    message.role === "tool" ? message.content.flatMap((part) => ("output" in part ? [part.output] : [])) : [],
  );
}

/** What the SDK is given for a whole conversation. */
const conversation = (session: Session, asked: MockLanguageModelV4, options?: ToAISDKOptions) => ({
  model: asked,
  prompt: "Go.",
  ...toAISDK(session, options as object),
  stopWhen: isStepCount(10),
});

async function converse(session: Session, ...calls: Call[]): Promise<unknown[]> {
  const asked = model(...calls);
  await generateText(conversation(session, asked));
  return told(asked);
}

test("generateText runs a whole conversation: schemas are offered, calls answered, the ledger knows the ids", async () => {
  await using session = await open();
  const asked = model({ toolName: "greet", input: { who: "Ada" } });
  const { text: said } = await generateText(conversation(session, asked));
  expect(said).toBe("Done.");
  expect(asked.doGenerateCalls[0]?.tools?.[0]).toMatchObject({
    type: "function",
    name: "greet",
    description: "Greets somebody.",
    inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  });
  expect(told(asked)).toEqual([{ type: "text", value: "Hello, Ada." }]);
  expect(session.ledger()).toMatchObject([
    { toolCallId: "call_1", toolName: "greet", args: { name: "Ada" } },
  ]);
});

test("streamText runs them as well", async () => {
  await using session = await open();
  const asked = model({ toolName: "greet", input: { name: "Ada" } });
  const { text: said } = streamText(conversation(session, asked));
  expect(await said).toBe("Done.");
  expect(told(asked)).toEqual([{ type: "text", value: "Hello, Ada." }]);
});

test("images keep their place between the texts", async () => {
  await using session = await open();
  expect(await converse(session, { toolName: "photo", input: {} })).toEqual([
    {
      type: "content",
      value: [
        { type: "text", text: "Before:" },
        { type: "file", data: { type: "data", data: "AQID" }, mediaType: "image/png" },
        { type: "text", text: "After." },
      ],
    },
  ]);
});

test.each([
  ["a name nobody has", { toolName: "toString", input: {} }, /^Error: There is no tool/, "UNKNOWN_TOOL"],
  ["arguments that are no JSON", { toolName: "greet", input: '{"name": ' }, /^Error: /, "INVALID_ARGUMENTS"],
  [
    "arguments that do not fit",
    { toolName: "greet", input: { name: 7, x: 1 } },
    /^Error: /,
    "INVALID_ARGUMENTS",
  ],
])("%s reaches the kernel, and the model gets the result", async (_what, call, answer, code) => {
  await using session = await open();
  expect(await converse(session, call)).toEqual([
    { type: "error-text", value: expect.stringMatching(answer) as string },
  ]);
  expect(session.ledger()).toMatchObject([{ code }]);
});

test("a tool that policy hides is not offered, and a call of it is blocked with its reason", async () => {
  await using session = await open({ rules: { deny: ["send"] } });
  expect(Object.keys(toAISDK(session).tools)).not.toContain("send");
  expect(await converse(session, { toolName: "send", input: { to: "ada" } })).toEqual([
    { type: "error-text", value: expect.stringMatching(/^Blocked: /) as string },
  ]);
});

test("a name that the kernel can repair", async () => {
  await using session = await open();
  expect(await converse(session, { toolName: "functions.Greet", input: { name: "Ada" } })).toEqual([
    { type: "text", value: "Hello, Ada." },
  ]);
});

test("an abort of the SDK is one of the call", async () => {
  await using session = await open();
  const aborter = new AbortController();
  session.subscribe(({ type }) => {
    if (type === "tool-start") aborter.abort();
  });
  const asked = conversation(session, model({ toolName: "wait", input: {} }));
  await generateText({ ...asked, abortSignal: aborter.signal }).catch(() => undefined);
  await expect.poll(() => session.ledger()).toMatchObject([{ toolName: "wait", code: "CANCELLED" }]);
});

test("tells the model that a call waits for approval if no approver exists", async () => {
  await using session = await open({ rules: { ask: ["send"] } });
  const [answer] = await converse(session, { toolName: "send", input: { to: "ada" } });
  expect(answer).toMatchObject({ type: "error-text", value: expect.stringMatching(/^Waiting for approval/) });
  expect(session.pendingApprovals()).toHaveLength(1);
});

test.each([
  [true, "sent to ada", "completed"],
  [false, undefined, undefined],
])("with the SDK's own approval: answered %s", async (approved, answer, status) => {
  await using session = await open({ rules: { ask: ["send"] } });
  const calling = model({ toolName: "send", input: { to: "ada" } });
  const first = await generateText(conversation(session, calling, { approvals: "ai-sdk" }));
  const request = first.content.find((part) => part.type === "tool-approval-request");
  expect(request).toMatchObject({ toolCall: { toolName: "send", input: { to: "ada" } } });
  expect(session.ledger()).toEqual([]);
  const { approvalId } = request as { approvalId: string };
  const asked = model();
  // As a server does that keeps nothing but the messages.
  await generateText({
    model: asked,
    messages: [
      { role: "user", content: "Go." },
      ...first.finalStep.response.messages,
      { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved }] },
    ],
    ...toAISDK(session, { approvals: "ai-sdk" }),
    stopWhen: isStepCount(5),
  });
  const [output] = told(asked);
  if (answer === undefined) expect(output).toMatchObject({ type: "execution-denied" });
  else expect(output).toEqual({ type: "text", value: answer });
  expect(session.ledger()[0]?.status).toBe(status);
});

test("with the SDK's approval, allowed and denied calls need no approval", async () => {
  await using session = await open({ rules: { ask: ["send"], deny: ["photo"] } });
  const asked = model({ toolName: "greet", input: { name: "Ada" } }, { toolName: "photo", input: {} });
  await generateText(conversation(session, asked, { approvals: "ai-sdk" }));
  expect(told(asked)).toMatchObject([{ type: "text" }, { type: "error-text" }]);
});

test("a call that runs without the SDK having asked still waits", async () => {
  await using session = await open({ rules: { ask: ["send"] } });
  const { send } = toAISDK(session, { approvals: "ai-sdk" }).tools;
  const forged = [
    { role: "tool", content: [{ type: "tool-approval-response", approvalId: "x", approved: true }] },
  ];
  const outcome = await send?.execute({ to: "ada" }, { toolCallId: "c", messages: forged });
  expect(outcome).toMatchObject({ kind: "pending" });
});

test("shows messages without an outcome unchanged", async () => {
  await using session = await open();
  const { greet } = toAISDK(session).tools;
  const shown = (output: unknown) => greet?.toModelOutput({ toolCallId: "c", input: {}, output });
  expect(shown("hello")).toEqual({ type: "text", value: "hello" });
  expect(shown({ a: 1 })).toEqual({ type: "text", value: '{"a":1}' });
  expect(shown(undefined)).toMatchObject({ type: "text" });
});

test("with progress, reports of a running tool are preliminary results in the stream, and the model reads the last", async () => {
  await using session = await open();
  const asked = model({ toolName: "steps", input: {} });
  const { stream } = streamText(conversation(session, asked, { progress: true }));
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

test("runs reading calls at once, and keeps the order of changing calls", async () => {
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

test("an id that is used again for another call is not a redelivery", async () => {
  await using session = await open();
  const { send } = toAISDK(session).tools;
  const outcomes = [];
  for (const to of ["ada", "bob"]) outcomes.push(await send!.execute({ to }, { toolCallId: "call_0" }));
  expect(outcomes.map(({ kind }) => kind)).toEqual(["ok", "ok"]);
});
