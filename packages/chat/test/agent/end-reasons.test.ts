import { expect, test } from "vitest";
import { runAgent } from "../../src/index.ts";
import { openAgentSession } from "../support/agent-session.ts";
import { exchanges } from "../support/exchanges.ts";
import { openScriptedModel } from "../support/scripted-model.ts";

const note = (text: string) => ({ name: "note", arguments: { text } });

test("ends at the step limit", async () => {
  const { session, noted } = await openAgentSession({ loopGuard: false });
  let count = 0;
  const { model } = await openScriptedModel(() => ({ calls: [note(`${++count}`)] }));
  const result = await runAgent({ session, model, prompt: "Go.", maxSteps: 3 });
  expect(result).toMatchObject({ ended: "step-limit", steps: 3 });
  expect(noted).toEqual(["1", "2", "3"]);
});

test("a signal during the answer ends the run with the partial answer", async () => {
  const { session } = await openAgentSession();
  const { model } = await openScriptedModel([{ text: "Half of it", fault: { kind: "stall", after: 3 } }]);
  const stop = new AbortController();
  const result = await runAgent({
    session,
    model,
    prompt: "Go.",
    signal: stop.signal,
    onEvent: ({ type }) => type === "text" && stop.abort(),
  });
  expect(result).toMatchObject({ ended: "aborted", steps: 1 });
  expect(result.messages.at(-1)).toMatchObject({ role: "assistant" });
});

test("a signal during a call ends the call before the run and skips the remaining calls", async () => {
  const { session, noted, waits } = await openAgentSession();
  const { model } = await openScriptedModel([
    { calls: [note("a"), { name: "wait", arguments: {} }, note("b")] },
  ]);
  const stop = new AbortController();
  void waits.then(() => stop.abort());
  const result = await runAgent({ session, model, prompt: "Go.", signal: stop.signal });
  expect(result.ended).toBe("aborted");
  expect(noted).toEqual(["a"]);
  expect(session.ledger().map(({ toolName, outcome }) => `${toolName} ${outcome}`)).toEqual([
    "note ok",
    "wait cancelled",
  ]);
  const [first, second, third] = exchanges(result.messages);
  expect(first).toBe("note: noted a");
  expect(second).toMatch(/^wait: Cancelled/);
  expect(third).toMatch(/^note: Not run/);
});

test("the model reads that a call was aborted, and continues", async () => {
  const { session, waits } = await openAgentSession();
  const { model } = await openScriptedModel([
    { calls: [{ name: "wait", arguments: {} }] },
    { text: "Then not." },
  ]);
  void waits.then(() => session.abort(session.ledger()[0]!.toolCallId, "the user stopped it."));
  const result = await runAgent({ session, model, prompt: "Go." });
  expect(result).toMatchObject({ ended: "done", text: "Then not." });
  expect(exchanges(result.messages)[0]).toContain("the user stopped it");
});

test("fails if the endpoint is unreachable", async () => {
  const { session } = await openAgentSession();
  const { model, endpoint } = await openScriptedModel([]);
  await endpoint.close();
  const stop = AbortSignal.timeout(60_000);
  const result = await runAgent({ session, model, prompt: "Go.", signal: stop });
  expect(result).toMatchObject({ ended: "failed", error: { code: "MODEL_UNREACHABLE" }, messages: [] });
});

test("a closed session answers every call without throwing", async () => {
  const { session } = await openAgentSession();
  await session.close();
  const { model } = await openScriptedModel([{ calls: [note("a")] }, { text: "Closed, I see." }]);
  const result = await runAgent({ session, model, prompt: "Go." });
  expect(result).toMatchObject({ ended: "done", text: "Closed, I see." });
});
