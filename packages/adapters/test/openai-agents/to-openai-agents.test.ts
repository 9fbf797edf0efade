import { Agent, Runner } from "@openai/agents-core";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents-core/testing";
import { expect, test } from "vitest";
import { toOpenAIAgents } from "../../src/openai-agents/index.ts";
import { openSession, type TestSession } from "../support/open-session.ts";
import { providerTools } from "../support/provider-tools.ts";

const open = (setup: TestSession = {}) => openSession([providerTools], setup);
const runner = new Runner({ tracingDisabled: true });

test("the SDK's runner works with a session: schemas are offered, calls answered, failures told", async () => {
  await using session = await open();
  const model = new ScriptedModel([
    [functionCall("send", { to: "ada" }, { callId: "c1" })],
    [functionCall("send", { wrong: 1 }, { callId: "c2" })],
    [functionCall("photo", {}, { callId: "c3" })],
    [assistantMessage("Done.")],
  ]);
  const agent = new Agent({ name: "a", model, tools: toOpenAIAgents(session) });
  const { finalOutput } = await runner.run(agent, "Go.");
  expect(finalOutput).toBe("Done.");
  expect(model.firstCall?.request.tools).toContainEqual(
    expect.objectContaining({
      name: "send",
      parameters: expect.objectContaining({ properties: { to: { type: "string" } } }),
    }),
  );
  const outputs = (model.lastCall!.request.input as { type?: string; output?: unknown }[]).filter(
    ({ type }) => type === "function_call_result",
  );
  expect(JSON.stringify(outputs[0]?.output)).toContain("sent to ada");
  expect(JSON.stringify(outputs[1]?.output)).toContain("Error: Invalid arguments for send");
  expect(JSON.stringify(outputs[2]?.output)).toContain("AQID");
  expect(session.ledger().map(({ toolCallId, status }) => [toolCallId, status])).toEqual([
    ["c1", "completed"],
    ["c2", "failed"],
    ["c3", "completed"],
  ]);
});

test("a call that needs approval interrupts the run, and goes on when it is approved there", async () => {
  await using session = await open({ rules: { ask: ["send"] } });
  const model = new ScriptedModel([
    [functionCall("send", { to: "ada" }, { callId: "c1" })],
    [assistantMessage("Done.")],
  ]);
  const agent = new Agent({ name: "a", model, tools: toOpenAIAgents(session, { approvals: "agents" }) });
  const first = await runner.run(agent, "Go.");
  expect(first.interruptions).toHaveLength(1);
  expect(session.ledger()).toEqual([]);
  first.state.approve(first.interruptions[0]!);
  const second = await runner.run(agent, first.state);
  expect(second.finalOutput).toBe("Done.");
  expect(session.ledger()).toMatchObject([{ toolCallId: "c1", status: "completed" }]);
});

test("keeps the order of calls in one answer if a call changes something", async () => {
  await using session = await open();
  const model = new ScriptedModel([
    [functionCall("send", { to: "ada" }, { callId: "c" }), functionCall("photo", {}, { callId: "p" })],
    [assistantMessage("Done.")],
  ]);
  const agent = new Agent({ name: "a", model, tools: toOpenAIAgents(session) });
  await runner.run(agent, "Go.");
  const calls = session.ledger();
  expect(calls.map(({ toolName, args, status }) => [toolName, args, status])).toEqual([
    ["send", { to: "ada" }, "completed"],
    ["photo", {}, "completed"],
  ]);
  expect(calls[1]!.startedAt).toBeGreaterThanOrEqual(calls[0]!.endedAt!);
});

test("by default the model learns that the call waits", async () => {
  await using session = await open({ rules: { ask: ["send"] } });
  const model = new ScriptedModel([
    [functionCall("send", { to: "ada" }, { callId: "c1" })],
    [assistantMessage("It waits.")],
  ]);
  const agent = new Agent({ name: "a", model, tools: toOpenAIAgents(session) });
  await runner.run(agent, "Go.");
  expect(JSON.stringify(model.lastCall?.request.input)).toContain("Waiting for approval");
  expect(session.pendingApprovals()).toHaveLength(1);
});
