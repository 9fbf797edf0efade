import type { Session } from "@haft/core/kernel";
import { ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Agent, Runner } from "@openai/agents-core";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents-core/testing";
import { generateText, isStepCount } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, test } from "vitest";
import { toAISDK } from "../../src/ai-sdk/index.ts";
import { toAnthropic } from "../../src/anthropic/index.ts";
import { toGemini } from "../../src/gemini/index.ts";
import { toLangChain } from "../../src/langchain/index.ts";
import { toOpenAIAgents } from "../../src/openai-agents/index.ts";
import { toOpenAI } from "../../src/openai/index.ts";
import { toPi } from "../../src/pi/index.ts";
import { openSession } from "../support/open-session.ts";
import { providerTools } from "../support/provider-tools.ts";

const rules = {
  sessions: { group: { grant: ["note"] } },
  senders: { "id:mallory": { deny: ["effect:write"] }, "id:carol": { ask: ["effect:write"] } },
};
const open = () => openSession([providerTools], { rules, open: { kind: "group" } });

type Sender = { id: string };
/** Calls the tool `note` once through a bridge, for this sender. */
type CallNote = (session: Session, sender: Sender | undefined) => Promise<unknown>;

const ARGS = { line: "1" };
const TEXT = JSON.stringify(ARGS);
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

const chatMessage = () => ({
  tool_calls: [{ id: "c", type: "function", function: { name: "note", arguments: TEXT } }],
});
const output = () => [{ type: "function_call", call_id: "c", name: "note", arguments: TEXT }];
const claude = () => ({
  role: "assistant",
  content: [{ type: "tool_use", id: "c", name: "note", input: ARGS }],
});
const gemini = () => ({ role: "model", parts: [{ functionCall: { name: "note", args: ARGS } }] });
const of = (sender: Sender | undefined) => (sender === undefined ? {} : { sender });

async function aiSdk(session: Session, options: object): Promise<void> {
  let step = 0;
  const model = new MockLanguageModelV4({
    doGenerate: async () => ({
      content: [
        step++ === 0
          ? { type: "tool-call" as const, toolCallId: "c", toolName: "note", input: TEXT }
          : { type: "text" as const, text: "Done." },
      ],
      finishReason: { unified: step === 1 ? ("tool-calls" as const) : ("stop" as const), raw: undefined },
      usage,
      warnings: [],
    }),
  });
  await generateText({ model, prompt: "Go.", ...toAISDK(session, options), stopWhen: isStepCount(3) });
}

async function agents(session: Session, options: object, context: object = {}): Promise<void> {
  const model = new ScriptedModel([
    [functionCall("note", ARGS, { callId: "c" })],
    [assistantMessage("Done.")],
  ]);
  const agent = new Agent({ name: "a", model, tools: toOpenAIAgents(session, options) });
  await new Runner({ tracingDisabled: true }).run(agent, "Go.", { context });
}

const langChain = (session: Session, options: object) =>
  toLangChain(session, { tool, ToolMessage, ...options });
async function langChainTool(session: Session, options: object, configurable: object = {}): Promise<void> {
  const note = langChain(session, options).tools.find(({ name }) => name === "note")!;
  await note.invoke({ type: "tool_call", id: "c", name: "note", args: ARGS }, { configurable });
}
async function pi(session: Session, options: object, context: object = {}): Promise<void> {
  const note = toPi(session, options).find(({ name }) => name === "note")!;
  await note.execute("c", ARGS, undefined, undefined, context).catch(() => {});
}

const bridges: Record<string, CallNote> = {
  "toOpenAI, chat, of a turn": (session, sender) => toOpenAI(session).answer(chatMessage(), of(sender)),
  "toOpenAI, chat": (session, sender) => toOpenAI(session, of(sender)).answer(chatMessage()),
  "toOpenAI, responses, of a turn": (session, sender) =>
    toOpenAI(session, { api: "responses" }).answer(output(), of(sender)),
  "toOpenAI, responses": (session, sender) =>
    toOpenAI(session, { api: "responses", ...of(sender) }).answer(output()),
  "toAnthropic, of a turn": (session, sender) => toAnthropic(session).answer(claude(), of(sender)),
  toAnthropic: (session, sender) => toAnthropic(session, of(sender)).answer(claude()),
  "toGemini, of a turn": (session, sender) => toGemini(session).answer(gemini() as never, of(sender)),
  toGemini: (session, sender) => toGemini(session, of(sender)).answer(gemini() as never),
  toAISDK: (session, sender) => aiSdk(session, of(sender)),
  "toAISDK, by a function": (session, sender) => aiSdk(session, { sender: () => sender ?? { id: "ada" } }),
  toOpenAIAgents: (session, sender) => agents(session, of(sender)),
  "toOpenAIAgents, by the context of the run": (session, sender) =>
    agents(
      session,
      { sender: ({ context }: { context: { user: string } }) => ({ id: context.user }) },
      { user: sender?.id ?? "ada" },
    ),
  toLangChain: (session, sender) => langChainTool(session, of(sender)),
  "toLangChain, by the configuration of the call": (session, sender) =>
    langChainTool(
      session,
      { sender: ({ configurable }: { configurable: { user: string } }) => ({ id: configurable.user }) },
      { user: sender?.id ?? "ada" },
    ),
  "toLangChain, of a turn": (session, sender) =>
    langChain(session, {}).answer(
      { tool_calls: [{ id: "c", name: "note", args: ARGS }] } as never,
      of(sender),
    ),
  "toLangChain, answer with the sender of the bridge": (session, sender) =>
    langChain(session, of(sender)).answer({ tool_calls: [{ id: "c", name: "note", args: ARGS }] } as never),
  "toLangChain, a name that no tool has": async (session, sender) => {
    const request = { toolCall: { id: "c", name: "NOTE", args: ARGS }, runtime: {} };
    await langChain(session, of(sender)).hooks.wrapToolCall(request, () => undefined as never);
  },
  toPi: (session, sender) => pi(session, of(sender)),
  "toPi, by the context of the call": (session, sender) =>
    pi(session, { sender: (context: Sender) => context }, sender ?? { id: "ada" }),
};

describe.each(Object.entries(bridges))("%s", (_name, callNote) => {
  const statusFor = async (sender: Sender | undefined) => {
    await using session = await open();
    await callNote(session, sender);
    expect(session.ledger()).toHaveLength(1);
    return session.ledger()[0]!.status;
  };

  test("a rule that denies a sender holds, and others may go on", async () => {
    expect(await statusFor({ id: "mallory" })).toBe("failed");
    expect(await statusFor({ id: "carol" })).toBe("pending");
    expect(await statusFor({ id: "ada" })).toBe("completed");
    expect(await statusFor(undefined)).toBe("completed");
  });
});

describe.each([
  [
    "throws",
    (): never => {
      throw new Error("no user");
    },
  ],
  ["returns no sender", () => undefined],
  ["returns a promise", async () => ({ id: "mallory" })],
])("a function sender that %s", (_what, sender) => {
  test.each([
    ["toAISDK", (session: Session, options: object) => aiSdk(session, options)],
    [
      "toAISDK, with approvals",
      (session: Session, options: object) => aiSdk(session, { approvals: "ai-sdk", ...options }),
    ],
    ["toOpenAIAgents", (session: Session, options: object) => agents(session, options)],
    [
      "toOpenAIAgents, with approvals",
      (session: Session, options: object) => agents(session, { approvals: "agents", ...options }),
    ],
    ["toLangChain", (session: Session, options: object) => langChainTool(session, options)],
    [
      "toLangChain, answer",
      (session: Session, options: object) =>
        langChain(session, options).answer({ tool_calls: [{ id: "c", name: "note", args: ARGS }] } as never),
    ],
    ["toPi", (session: Session, options: object) => pi(session, options)],
  ] as const)("%s: makes no call, and does not reject", async (_name, callNote) => {
    await using session = await open();
    await callNote(session, { sender });
    expect(session.ledger()).toEqual([]);
  });

  test("is reported to the model", async () => {
    await using session = await open();
    const { tools } = toAISDK(session, { sender: sender as never });
    expect(await tools["note"]!.execute(ARGS, { toolCallId: "c" })).toMatchObject({
      kind: "error",
      code: "BRIDGE_INVALID",
      toolCallId: "c",
      content: [{ type: "text", text: expect.stringContaining("sender") }],
    });
  });
});

test("a function sender may have the SDK's type of its context, or none", async () => {
  await using session = await open();
  const byUser = toPi(session, { sender: ({ userId }) => ({ id: userId as string }) });
  const typed = toPi(session, { sender: (context: { id: string }) => context });
  expect(byUser).toHaveLength(typed.length);
});

test.each([
  ["toAISDK", toAISDK],
  ["toOpenAI", toOpenAI],
  ["toAnthropic", toAnthropic],
  ["toGemini", toGemini],
  ["toOpenAIAgents", toOpenAIAgents],
  ["toLangChain", langChain],
  ["toPi", toPi],
] as readonly [string, (session: Session, options: object) => unknown][])(
  "%s: rejects an invalid sender and an unknown option",
  async (_name, bridge) => {
    await using session = await open();
    for (const sender of ["mallory", 7, null, { user: "mallory" }, undefined])
      expect(() => bridge(session, { sender })).toThrow(expect.objectContaining({ code: "INVALID_OPTIONS" }));
    expect(() => bridge(session, { senders: { id: "mallory" } })).toThrow(
      expect.objectContaining({ code: "BRIDGE_INVALID" }),
    );
  },
);

test("answer refuses an option that it does not have, and a message that it answers for another sender", async () => {
  await using session = await open();
  const { answer } = toOpenAI(session);
  const refused = (options: object) =>
    expect(answer(chatMessage(), options)).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
  await refused({ sendr: { id: "mallory" } });
  await refused({ sender: undefined });
  await refused({ sender: { user: "mallory" } });
  expect(session.ledger()).toEqual([]);
  const message = chatMessage();
  await answer(message, { sender: { id: "ada" } });
  await expect(answer(message, { sender: { id: "mallory" } })).rejects.toMatchObject({
    code: "BRIDGE_INVALID",
  });
  expect(session.ledger()).toHaveLength(1);
});

test("a bridge that lets its SDK ask asks as the rules of the sender say", async () => {
  await using session = await open();
  const needs = (sender: Sender) =>
    toOpenAIAgents(session, { approvals: "agents", sender })
      .find(({ name }) => name === "note")!
      .needsApproval({}, ARGS);
  expect(await needs({ id: "carol" })).toBe(true);
  expect(await needs({ id: "mallory" })).toBe(false);
  expect(await needs({ id: "ada" })).toBe(false);
});
