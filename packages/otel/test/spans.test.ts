import { text } from "@haft/core";
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { describe, expect, test } from "vitest";
import { echo, openObservedSession, createTool } from "./support/observed-session.ts";

describe("unsuccessful calls", () => {
  test.each([
    ["whose tool throws", { id: "1", name: "fail" }, "error", "TOOL_FAILED", "unknown"],
    ["with invalid arguments", { id: "1", name: "echo" }, "error", "INVALID_ARGUMENTS", "none"],
    ["that is denied", { id: "1", name: "denied" }, "blocked", "POLICY_DENIED", "none"],
  ] as const)(
    "a call %s has a span with its code and no error message",
    async (_what, call, kind, code, receipt) => {
      const { sdk, session } = await openObservedSession({
        tools: [
          echo,
          createTool("fail", () => Promise.reject(new Error("the key is hunter2")), { effects: ["write"] }),
          createTool("denied", () => ({ content: [], details: {} })),
        ],
        decide: ({ name }) => (name === "denied" ? "deny" : "allow"),
      });
      await session.call(call);
      const [span, ...others] = sdk.spans();
      expect(others).toEqual([]);
      expect(span).toMatchObject({
        name: `execute_tool ${call.name}`,
        status: { code: SpanStatusCode.ERROR },
        attributes: { "error.type": code, "haft.outcome": kind, "haft.receipt": receipt },
      });
      expect(JSON.stringify([span?.attributes, span?.status, span?.events])).not.toContain("hunter2");
    },
  );

  test("a call of an unknown tool has the common span name", async () => {
    const { sdk, session } = await openObservedSession({ tools: [echo] });
    await session.call({ name: "delete_everything_7f3a" });
    expect(sdk.spans()).toMatchObject([
      {
        name: "execute_tool",
        attributes: { "gen_ai.tool.name": "delete_everything_7f3a", "error.type": "UNKNOWN_TOOL" },
      },
    ]);
  });

  test("an aborted call ends its span", async () => {
    const { sdk, session } = await openObservedSession({
      tools: [
        createTool(
          "wait",
          (_id, _params, signal) =>
            new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
        ),
      ],
    });
    const running = session.call({ id: "1", name: "wait" });
    await expect.poll(() => session.ledger()[0]?.status).toBe("executing");
    expect(sdk.spans()).toEqual([]);
    session.abort("1");
    await running;
    expect(sdk.findSpan("1").attributes).toMatchObject({
      "haft.outcome": "cancelled",
      "error.type": "CANCELLED",
    });
  });

  test("the end of observation or of the session ends the spans of pending calls", async () => {
    const waiting = await openObservedSession({ tools: [echo], decide: () => "ask" });
    await waiting.session.call({ id: "1", name: "echo", arguments: { value: "a" } });
    expect(waiting.sdk.spans()).toEqual([]);
    waiting.stop();
    waiting.stop();
    expect(waiting.sdk.spans()).toHaveLength(1);
    const closed = await openObservedSession({ tools: [echo], decide: () => "ask" });
    await closed.session.call({ id: "1", name: "echo", arguments: { value: "a" } });
    await closed.session.close();
    expect(closed.sdk.spans()).toHaveLength(1);
  });
});

describe("calls", () => {
  test("a span has the attributes of the GenAI conventions and of the policy decision", async () => {
    const { sdk, session } = await openObservedSession({ tools: [echo] });
    const before = Date.now();
    await session.call({ id: "call-1", name: "Echo", arguments: '{"value":"my words"}' });
    const span = sdk.findSpan("call-1");
    expect(span).toMatchObject({
      name: "execute_tool echo",
      kind: SpanKind.INTERNAL,
      status: { code: SpanStatusCode.UNSET },
    });
    expect(span.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "echo",
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": "call-1",
      "gen_ai.conversation.id": "talk",
      "gen_ai.agent.id": "main",
      "haft.session.kind": "main",
      "haft.outcome": "ok",
      "haft.receipt": "none",
      "haft.policy.effect": "allow",
      "haft.policy.decision.id": "test-allow",
      "haft.policy.layer": "allow",
      "haft.policy.source": "policy.yaml:3",
    });
    expect(span.startTime[0] * 1_000).toBeGreaterThanOrEqual(Math.floor(before / 1_000) * 1_000);
    expect(span.instrumentationScope.name).toBe("@haft/otel");
  });

  test("a span records the request and the answer of an approval", async () => {
    const { sdk, session } = await openObservedSession({ tools: [echo], decide: () => "ask" });
    const outcome = await session.call({ id: "1", name: "echo", arguments: { value: "a" } });
    const approvalId = outcome.kind === "pending" ? outcome.approvalId : "";
    await session.resolveApproval(approvalId, "allow-once");
    const span = sdk.findSpan("1");
    expect(span.events.map(({ name, attributes }) => [name, attributes?.["haft.approval.id"]])).toEqual([
      ["haft.approval.requested", approvalId],
      ["haft.approval.settled", approvalId],
    ]);
    expect(span.attributes).toMatchObject({ "haft.policy.effect": "ask", "haft.outcome": "ok" });
  });

  test("parallel calls have separate spans", async () => {
    const { sdk, session } = await openObservedSession({ tools: [echo] });
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        session.call({ id: `${index}`, name: "echo", arguments: { value: `${index}` } }),
      ),
    );
    expect(new Set(sdk.spans().map(({ attributes }) => attributes["gen_ai.tool.call.id"])).size).toBe(20);
    expect(new Set(sdk.spans().map((span) => span.spanContext().traceId)).size).toBe(20);
  });
});

describe("parents and duration of spans", () => {
  test("the parent is the active span of the host, even if the call waited for approval", async () => {
    const { sdk, session } = await openObservedSession({
      tools: [echo],
      decide: ({ name }) => (name === "echo" ? "ask" : "allow"),
    });
    const tracer = sdk.tracerProvider.getTracer("host");
    const turn = tracer.startSpan("turn");
    const outcome = await context.with(trace.setSpan(context.active(), turn), () =>
      session.call({ id: "1", name: "echo", arguments: { value: "a" } }),
    );
    turn.end();
    await session.resolveApproval(outcome.kind === "pending" ? outcome.approvalId : "", "allow-once");
    expect(sdk.findSpan("1").parentSpanContext?.spanId).toBe(turn.spanContext().spanId);
  });

  test("nested calls and other spans of a tool are children of the span of its call", async () => {
    const provider: { tracer?: ReturnType<typeof trace.getTracer> } = {};
    const outer = createTool("outer", async (_id, _params, _signal, _update, ofCall) => {
      await Promise.resolve();
      provider.tracer?.startSpan("request of the tool").end();
      const { kind } = await ofCall.call("echo", { value: "a" });
      return { content: [text(kind)], details: {} };
    });
    const { sdk, session } = await openObservedSession({
      tools: [echo, outer],
    });
    provider.tracer = sdk.tracerProvider.getTracer("http");
    await session.call({ id: "1", name: "outer" });
    const parent = sdk.findSpan("1").spanContext().spanId;
    expect(sdk.findSpan("1.1").parentSpanContext?.spanId).toBe(parent);
    expect(sdk.spans().find(({ name }) => name === "request of the tool")?.parentSpanContext?.spanId).toBe(
      parent,
    );
    expect(sdk.findSpan("1").parentSpanContext).toBeUndefined();
  });

  test("a span lasts as long as its call, even if the call began before the first event", async () => {
    const { sdk, session } = await openObservedSession({
      tools: [echo],
      decide() {
        const until = performance.now() + 20;
        while (performance.now() < until);
        return "deny";
      },
    });
    const outcome = await session.call({ id: "1", name: "echo", arguments: { value: "a" } });
    const { duration } = sdk.findSpan("1");
    // One clock counts whole milliseconds, the other does not.
    expect(duration[0] * 1_000 + duration[1] / 1e6).toBeGreaterThanOrEqual(
      Math.floor(outcome.durationMs) - 1,
    );
  });
});

describe("several observers of one session", () => {
  test("each observer records its own spans, and spans of the tool belong to the latest observer", async () => {
    const first = await openObservedSession({ tools: [echo] });
    const second = await openObservedSession();
    second.telemetry.observe(first.session);
    await first.session.call({ id: "1", name: "echo", arguments: { value: "a" } });
    expect(first.sdk.spans()).toHaveLength(1);
    expect(second.sdk.spans()).toHaveLength(1);
    await first.telemetry.close();
    await first.session.call({ id: "2", name: "echo", arguments: { value: "b" } });
    expect(first.sdk.spans()).toHaveLength(1);
    expect(second.sdk.spans()).toHaveLength(2);
  });
});
