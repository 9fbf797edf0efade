import { describe, expect, test } from "vitest";
import type { ToolContext } from "../../src/contract/tool.ts";
import { until } from "../support/approvals.ts";
import {
  answer,
  getCode,
  echo,
  eventTypes,
  createGate,
  makeTool,
  openSession,
  createTestPolicy,
  waitUntilSettled,
  watch,
} from "../support/kernel.ts";

/** A tool that makes the given calls through its context and answers with their codes. */
function caller(name: string, ...calls: [string, unknown?][]) {
  return makeTool(name, {
    execute: async (_id, _params, _signal, _update, context) => {
      const codes = [];
      for (const [tool, args] of calls) codes.push(getCode(await context.call(tool, args)));
      return answer(codes.join(" "), { codes });
    },
  });
}

describe("a tool that calls a tool", () => {
  test("uses the same names, arguments, ledger and events", async () => {
    const outer = caller("outer", ["Echo", '{"value":"a"}'], ["echo", {}], ["nobody"]);
    const session = await openSession({ tools: [outer, echo()] });
    const events = watch(session);
    const outcome = await session.call({ id: "1", name: "outer" });
    expect(outcome.details).toEqual({ codes: ["ok", "INVALID_ARGUMENTS", "UNKNOWN_TOOL"] });
    expect(session.ledger()).toMatchObject([
      { toolCallId: "1", toolName: "outer", status: "completed" },
      { toolCallId: "1.1", toolName: "echo", status: "completed", parentCallId: "1", args: { value: "a" } },
      { toolCallId: "1.2", toolName: "echo", status: "failed", parentCallId: "1" },
      { toolCallId: "1.3", toolName: "nobody", status: "failed", parentCallId: "1" },
    ]);
    expect(eventTypes(events, "1.1")).toEqual(["tool-start", "tool-end"]);
    expect(events.at(-1)).toMatchObject({ type: "tool-end", toolCallId: "1" });
  });

  test("obeys the same policy", async () => {
    const policy = createTestPolicy({
      visibility: ({ name }) => (name === "hidden" ? "deny" : "allow"),
      call: ({ name }) => (name === "denied" ? "deny" : "allow"),
    });
    const outer = caller("outer", ["hidden"], ["denied"]);
    const session = await openSession({ tools: [outer, makeTool("hidden"), makeTool("denied")], policy });
    expect((await session.call({ name: "outer" })).details).toEqual({
      codes: ["POLICY_DENIED", "POLICY_DENIED"],
    });
  });

  test("is stopped in a loop", async () => {
    const outer = caller(
      "outer",
      ...Array.from({ length: 12 }, (): [string, unknown] => ["echo", { value: "a" }]),
    );
    const session = await openSession({ tools: [outer, echo()] });
    const { codes } = (await session.call({ name: "outer" })).details as { codes: string[] };
    expect(codes.slice(10)).toEqual(["LOOP_REPEAT", "LOOP_REPEAT"]);
  });

  test("passes an abort to the inner call", async () => {
    const inner = makeTool("inner", { effects: ["write"], execute: () => createGate<never>().promise });
    const session = await openSession({ tools: [caller("outer", ["inner"]), inner] });
    const outcome = session.call({ id: "1", name: "outer" });
    await waitUntilSettled();
    session.abort("1");
    await outcome;
    await until(() => session.ledger()[1]?.status === "failed");
    expect(session.ledger()[1]).toMatchObject({
      toolCallId: "1.1",
      status: "failed",
      outcome: "cancelled",
      receipt: "unknown",
    });
  });

  test("ends the inner wait for approval if it is aborted", async () => {
    const policy = createTestPolicy({ call: ({ name }) => (name === "echo" ? "ask" : "allow") });
    const outer = caller("outer", ["echo", { value: "a" }]);
    const session = await openSession({
      tools: [outer, echo()],
      policy,
      approver: { ask: () => createGate<never>().promise },
    });
    const outcome = session.call({ id: "1", name: "outer" });
    await waitUntilSettled();
    session.abort("1");
    await outcome;
    expect(session.ledger()[1]).toMatchObject({
      toolCallId: "1.1",
      status: "failed",
      outcome: "cancelled",
      receipt: "none",
    });
  });

  test("is stopped if it calls itself without end", async () => {
    let runs = 0;
    const self = echo("self", {
      execute: async (_id, _params, _signal, _update, context) => {
        const inner = await context.call("self", { value: `${++runs}` });
        return answer(getCode(inner));
      },
    });
    const session = await openSession({ tools: [self] });
    expect(await session.call({ name: "self", arguments: { value: "0" } })).toMatchObject({ kind: "ok" });
    expect(runs).toBeLessThan(30);
    expect(session.ledger().at(-1)).toMatchObject({ status: "failed", code: "NESTED_TOO_DEEP" });
  });

  test("gets an unused id for the inner call, with a long id of its own as well", async () => {
    const session = await openSession({ tools: [caller("outer", ["echo", { value: "a" }]), echo()] });
    await session.call({ id: "x.1", name: "echo", arguments: { value: "b" } });
    expect((await session.call({ id: "x", name: "outer" })).details).toEqual({ codes: ["ok"] });
    expect((await session.call({ id: "y".repeat(256), name: "outer" })).details).toEqual({ codes: ["ok"] });
  });
});

test("shows a tool its session, and no other session's facts", async () => {
  let seen: ToolContext | undefined;
  const tool = makeTool("look", {
    execute: (_id, _params, _signal, _update, context) => {
      seen = context;
      return answer("seen");
    },
  });
  const open = {
    kind: "group" as const,
    sessionKey: "s",
    agentId: "a",
    messageChannel: "c",
    model: { name: "m", images: false },
  };
  const session = await openSession({ tools: [tool], open });
  await session.call({ name: "LOOK" });
  expect(seen).toMatchObject({
    toolName: "look",
    sessionKey: "s",
    sessionKind: "group",
    agentId: "a",
    messageChannel: "c",
    model: { name: "m", images: false, contextTokens: 128_000 },
  });
  expect(seen!.workspace.describe().cwd).toBe("/work");
  expect(Object.keys(seen!)).toEqual([]);
});
