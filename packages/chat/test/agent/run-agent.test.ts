import { HaftError } from "@haft/core";
import { describe, expect, test } from "vitest";
import { type AgentEvent, runAgent } from "../../src/index.ts";
import type { ModelApi } from "../../src/model/providers.ts";
import { openAgentSession } from "../support/agent-session.ts";
import { exchanges } from "../support/exchanges.ts";
import { APIS, openScriptedModel } from "../support/scripted-model.ts";

const note = (text: string, id?: string) => ({
  name: "note",
  arguments: { text },
  ...(id !== undefined && { id }),
});

describe.each(Object.keys(APIS) as ModelApi[])("over the API of %s", (api) => {
  test("calls tools until the model is done and stores every call with its result", async () => {
    const { session, noted } = await openAgentSession();
    const { model, endpoint } = await openScriptedModel(
      [{ text: "First.", calls: [note("a"), note("b")] }, { calls: [note("c")] }, { text: "All noted." }],
      api,
    );
    const events: AgentEvent[] = [];
    const result = await runAgent({
      session,
      model,
      prompt: "Note three things.",
      onEvent: (event) => events.push(event),
    });
    expect(result).toMatchObject({ ended: "done", text: "All noted.", steps: 3 });
    expect(noted).toEqual(["a", "b", "c"]);
    expect(exchanges(result.messages)).toEqual(["note: noted a", "note: noted b", "note: noted c"]);
    expect(result.usage.inputTokens).toBeGreaterThan(0);
    expect(result.usage.outputTokens).toBeGreaterThan(0);
    const printed = events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join("");
    expect(printed).toBe("First.All noted.");
    expect(events.filter(({ type }) => type === "step")).toHaveLength(3);
    expect(endpoint.requests.map(({ dialect }) => dialect)).toEqual([APIS[api], APIS[api], APIS[api]]);

    const next = await openScriptedModel(({ prompt }) => ({ text: `You said: ${prompt}` }), api);
    const again = await runAgent({ session, model: next.model, prompt: "And?", messages: result.messages });
    expect(again).toMatchObject({ ended: "done", text: "You said: And?" });
    const results = next.endpoint.requests[0]?.results.map(({ text }) => /noted ./.exec(text)?.[0]);
    expect(results).toEqual(["noted a", "noted b", "noted c"]);
  });

  test("runs no call of a truncated answer", async () => {
    const { session, noted } = await openAgentSession();
    const { model } = await openScriptedModel(
      [
        {
          text: "I begin with the first of them.",
          calls: [note("a"), note("b")],
          fault: { kind: "cut", after: 4 },
        },
      ],
      api,
    );
    const result = await runAgent({ session, model, prompt: "Go." });
    expect(result).toMatchObject({
      ended: "failed",
      error: { code: "MODEL_FAILED", details: { reason: "cut" } },
    });
    expect(noted).toEqual([]);
    expect(session.ledger()).toEqual([]);
    expect(exchanges(result.messages)).toEqual([]);
  });

  test("fails if the endpoint stalls", async () => {
    const { session } = await openAgentSession();
    for (const after of [0, 3]) {
      const { model } = await openScriptedModel(
        [{ text: "Well then", fault: { kind: "stall", after } }],
        api,
      );
      const result = await runAgent({ session, model, prompt: "Go.", stallMs: 300 });
      expect(result).toMatchObject({
        ended: "failed",
        error: { code: "MODEL_FAILED", details: { reason: "stalled" } },
      });
    }
  });

  test.each([
    [401, "MODEL_KEY"],
    [403, "MODEL_KEY"],
    [404, "MODEL_SETTINGS"],
    [400, "MODEL_REFUSED"],
  ])("maps status %i to %s with the endpoint's message and drops the prompt", async (status, code) => {
    const { session } = await openAgentSession();
    const { model } = await openScriptedModel(
      [{ fault: { kind: "status", status, message: "Not today." } }],
      api,
    );
    const result = await runAgent({ session, model, prompt: "Go." });
    expect(result).toMatchObject({ ended: "failed", error: { code }, messages: [], steps: 0 });
    expect(result.error?.message).toMatch(
      new RegExp(`^127\\.0\\.0\\.1:\\d+ answered ${status}: Not today\\.$`),
    );
    expect(result.error?.fix).toBeTruthy();
  });

  test.each([
    [429, "MODEL_BUSY"],
    [500, "MODEL_FAILED"],
  ])("retries status %i as the endpoint requests, then fails with %s", async (status, code) => {
    const { session } = await openAgentSession();
    const fault = { kind: "status", status, message: "Later.", headers: { "retry-after-ms": "1" } } as const;
    const { model, endpoint } = await openScriptedModel([{ fault }], api);
    const result = await runAgent({ session, model, prompt: "Go." });
    expect(result).toMatchObject({
      ended: "failed",
      error: { code, message: expect.stringContaining("3 times") },
    });
    expect(endpoint.requests).toHaveLength(3);
  });

  test("answers and records unknown tools and malformed arguments", async () => {
    const { session, noted } = await openAgentSession();
    const broken = api === "google" ? {} : '{"text":"unfinished';
    const { model } = await openScriptedModel(
      [
        {
          calls: [
            { name: "nto", arguments: { text: "a" } },
            { name: "note", arguments: broken },
          ],
        },
        { text: "I see." },
      ],
      api,
    );
    const result = await runAgent({ session, model, prompt: "Go." });
    expect(result).toMatchObject({ ended: "done", text: "I see." });
    expect(exchanges(result.messages)[0]).toMatch(/^nto: Error: .*note/s);
    expect(exchanges(result.messages)[1]).toMatch(/^note: Error: /);
    expect(session.ledger().map(({ status }) => status)).toEqual(["failed", "failed"]);
    expect(noted).toEqual([]);
  });

  test("sends images of results to the model", async () => {
    const { session } = await openAgentSession();
    const { model, endpoint } = await openScriptedModel(
      [{ calls: [{ name: "photo", arguments: {} }] }, { text: "Nice." }],
      api,
    );
    await runAgent({ session, model, prompt: "A photo." });
    const body = JSON.stringify(endpoint.requests[1]?.body);
    expect(body).toContain("AQID");
    expect(body).toContain("image/png");
    // As a text it would be nothing but many characters.
    expect(endpoint.requests[1]?.results[0]?.text).not.toContain("AQID");
  });
});

test("makes repeated call ids unique in an answer, over steps and over runs", async () => {
  const { session, noted } = await openAgentSession();
  const turns = [
    { calls: [note("a", "call_1"), note("b", "call_1")] },
    { calls: [note("c", "call_1")] },
    { text: "Done." },
  ];
  const { model, endpoint } = await openScriptedModel(turns);
  const first = await runAgent({ session, model, prompt: "Go." });
  expect(first.ended).toBe("done");
  expect(noted).toEqual(["a", "b", "c"]);
  const ids = session.ledger().map(({ toolCallId }) => toolCallId);
  expect(new Set(ids).size).toBe(3);
  expect(endpoint.requests.at(-1)?.results.map(({ callId, text }) => `${callId} ${text}`)).toEqual([
    `${ids[0]} noted a`,
    `${ids[1]} noted b`,
    `${ids[2]} noted c`,
  ]);
  const next = await openScriptedModel([{ calls: [note("d", "call_1")] }, { text: "Done." }]);
  await runAgent({ session, model: next.model, prompt: "More." });
  expect(noted).toEqual(["a", "b", "c", "d"]);
  expect(session.ledger().every(({ status }) => status === "completed")).toBe(true);
});

test("rejects invalid options before any request", async () => {
  const { session } = await openAgentSession();
  const { model, endpoint } = await openScriptedModel([]);
  const wrong: object[] = [
    { model, prompt: "Go." },
    { session, prompt: "Go." },
    { session, model: "openai/gpt-5-mini", prompt: "Go." },
    { session, model, prompt: " " },
    { session, model, prompt: "Go.", maxSteps: 0 },
    { session, model, prompt: "Go.", approver: () => {} },
  ];
  for (const options of wrong) {
    const thrown: unknown = await runAgent(options as never).catch((error: unknown) => error);
    expect(HaftError.is(thrown) && thrown.code).toBe("INVALID_OPTIONS");
  }
  expect(endpoint.requests).toEqual([]);
});

test("applies rules for the sender to the calls of its run", async () => {
  const rules = { senders: { "id:mallory": { deny: ["note"] } } };
  const { session, noted } = await openAgentSession({ rules });
  const run = async (sender: { id: string } | undefined, text: string) => {
    const { model } = await openScriptedModel([{ calls: [note(text)] }, { text: "Done." }]);
    return runAgent({ session, model, prompt: "Note it.", ...(sender && { sender }) });
  };
  await run({ id: "mallory" }, "a");
  await run({ id: "ada" }, "b");
  await run(undefined, "c");
  expect(noted).toEqual(["b", "c"]);
  const { model } = await openScriptedModel([{ text: "Done." }]);
  for (const sender of ["mallory", { user: "mallory" }, undefined, null])
    await expect(runAgent({ session, model, prompt: "Go.", sender: sender as never })).rejects.toMatchObject({
      code: "INVALID_OPTIONS",
    });
});
