import type { ModelMessage } from "ai";
import { describe, expect, test } from "vitest";
import { type AgentEvent, runAgent } from "../../src/index.ts";
import { openAgentSession } from "../support/agent-session.ts";
import { openScriptedModel } from "../support/scripted-model.ts";

describe("a conversation that is too long", () => {
  test("leaves out and reports the oldest results first, except the latest result", async () => {
    const { session } = await openAgentSession();
    const long = { name: "long", arguments: { characters: 4_000 } };
    const turns = Array.from({ length: 6 }, (_, index) => ({
      calls: [{ ...long, arguments: { characters: 4_000 + index } }],
    }));
    const { model, endpoint } = await openScriptedModel([...turns, { text: "Done." }]);
    const events: AgentEvent[] = [];
    const onEvent = (event: AgentEvent) => events.push(event);
    const result = await runAgent({ session, model, prompt: "Read all.", contextTokens: 4_500, onEvent });
    expect(result.ended).toBe("done");
    expect(
      events.some((event) => event.type === "left-out" && event.results > 0 && event.messages === 0),
    ).toBe(true);
    const { results = [] } = endpoint.requests.at(-1) ?? {};
    expect(results[0]?.text).toContain("left out");
    expect(results.at(-1)?.text).toHaveLength(4_005);
    expect(endpoint.requests.at(-1)?.prompt).toBe("Read all.");
  });

  test("leaves out the oldest whole turns next", async () => {
    const { session } = await openAgentSession();
    const before: ModelMessage[] = Array.from({ length: 8 }, (_, index) => [
      { role: "user" as const, content: `Question ${index}: ${"q".repeat(2_000)}` },
      { role: "assistant" as const, content: `Answer ${index}` },
    ]).flat();
    const { model, endpoint } = await openScriptedModel([], "openai");
    const result = await runAgent({
      session,
      model,
      prompt: "Last.",
      messages: before,
      contextTokens: 3_000,
    });
    expect(result.ended).toBe("done");
    const sent = JSON.stringify(endpoint.requests[0]?.body);
    expect(sent).not.toContain("Question 0");
    expect(sent).toContain("Question 7");
    expect(sent).toContain("was left out");
  });

  test("fails without a request if the prompt alone does not fit", async () => {
    const { session } = await openAgentSession();
    const { model, endpoint } = await openScriptedModel([]);
    const result = await runAgent({ session, model, prompt: "x".repeat(40_000), contextTokens: 5_000 });
    expect(result).toMatchObject({ ended: "failed", error: { code: "CONVERSATION_TOO_LONG" }, messages: [] });
    expect(endpoint.requests).toEqual([]);
  });

  test("sends a shorter conversation once if the endpoint accepts less than configured", async () => {
    const { session } = await openAgentSession();
    const before: ModelMessage[] = Array.from({ length: 8 }, (_, index) => [
      { role: "user" as const, content: `Question ${index}: ${"q".repeat(2_000)}` },
      { role: "assistant" as const, content: `Answer ${index}` },
    ]).flat();
    const { model, endpoint } = await openScriptedModel(({ body }) =>
      JSON.stringify(body).length > 14_000
        ? {
            fault: {
              kind: "status",
              status: 400,
              message: "This model's maximum context length is 3000 tokens.",
            },
          }
        : { text: "Now." },
    );
    const result = await runAgent({ session, model, prompt: "Last.", messages: before });
    expect(result).toMatchObject({ ended: "done", text: "Now." });
    expect(endpoint.requests).toHaveLength(2);
  });
});
