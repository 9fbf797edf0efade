import { describe, expect, test } from "vitest";
import type { HookCall, ToolHook } from "../../src/contract/hooks.ts";
import type { ToolOutcome } from "../../src/contract/result.ts";
import { until, getWaitingId } from "../support/approvals.ts";
import { callEcho, openHookedSession, recorder } from "../support/hooks.ts";
import {
  answer,
  getCode,
  echo,
  eventTypes,
  makeTool,
  memoryLogger,
  createTestPolicy,
  getOutcomeText,
  waitUntilSettled,
  watch,
  createThrower,
} from "../support/kernel.ts";

describe("each function of a hook", () => {
  const all = (id: string) => [`before ${id}`, `transform ${id}`, `after ${id}`];

  test("runs once for a call, and for each call of a tool", async () => {
    const { hook, log } = recorder();
    const outer = makeTool("outer", {
      execute: async (_id, _args, _signal, _onUpdate, context) => {
        await context.call("echo", { value: "b" });
        return answer("done");
      },
    });
    const session = await openHookedSession([hook], { tools: [outer, echo()] });
    await session.call({ id: "1", name: "outer" });
    expect(log).toEqual(["before 1", ...all("1.1"), "transform 1", "after 1"]);
  });

  test("runs once for a pending call that is resumed", async () => {
    const { hook, log } = recorder();
    const session = await openHookedSession([hook], { policy: createTestPolicy({ call: () => "ask" }) });
    await callEcho(session, "a", "1");
    expect(log).toEqual(["before 1"]);
    await session.resolveApproval(getWaitingId(session), "allow-once");
    expect(log).toEqual(all("1"));
  });

  test("runs once for a call refused by policy, arguments, the duplicate check or a person", async () => {
    const { hook, log } = recorder();
    const policy = createTestPolicy({
      call: (_tool, args) =>
        ({ deny: "deny", ask: "ask" } as const)[(args as { value: "ask" }).value] ?? "allow",
    });
    const send = echo("echo", { effects: ["message"] });
    const session = await openHookedSession([hook], { tools: [send], policy });
    await callEcho(session, "deny", "1");
    await callEcho(session, 1, "2");
    await callEcho(session, "ask", "3");
    await session.resolveApproval(getWaitingId(session), "deny");
    expect(log).toEqual(["1", "2", "3"].flatMap((id) => [`before ${id}`, `after ${id}`]));
    log.length = 0;
    await callEcho(session, "once", "4");
    expect(getCode(await callEcho(session, "once", "5"))).toBe("DUPLICATE_CALL");
    expect(log).toEqual([...all("4"), "before 5", "after 5"]);
  });

  test("does not run for a missing or hidden tool", async () => {
    const { hook, log } = recorder();
    const session = await openHookedSession([hook], {
      policy: createTestPolicy({ visibility: () => "deny" }),
    });
    expect(getCode(await callEcho(session))).toBe("POLICY_DENIED");
    expect(getCode(await session.call({ name: "nothing" }))).toBe("UNKNOWN_TOOL");
    expect(log).toEqual([]);
  });
});

describe("a result hook", () => {
  const adding = (name: string): ToolHook => ({
    name,
    transformResult: (_call, { content, details }) => ({
      content: [...content, { type: "text", text: name }],
      details: { ...(details as object), [name]: true },
    }),
  });

  test("gets the output of the previous hook; ledger and model get the last output", async () => {
    const session = await openHookedSession([adding("b"), adding("c")]);
    const outcome = await callEcho(session);
    expect(getOutcomeText(outcome)).toBe("a\n\nb\n\nc");
    expect(outcome.details).toEqual({ b: true, c: true });
    expect(session.ledger()).toMatchObject([{ result: { details: { b: true, c: true } } }]);
  });

  const failures: [string, () => unknown][] = [
    ["throws", createThrower(new Error("no"))],
    ["is late", () => new Promise(() => {})],
    ["answers nonsense", () => ({ content: 5 })],
    ["answers false", () => false],
  ];

  test.for(failures)(
    "leaves the result unchanged and causes a diagnostic if it %s",
    async ([_what, transform]) => {
      const logger = memoryLogger();
      const hook = { name: "broken", deadlineMs: 20, transformResult: transform as never };
      const session = await openHookedSession([adding("b"), hook, adding("c")], { logger });
      const events = watch(session);
      expect(getOutcomeText(await callEcho(session))).toBe("a\n\nb\n\nc");
      expect(events).toMatchObject([{}, { type: "hook-failed", hook: "broken" }, { type: "tool-end" }]);
      expect(logger.lines).toContain("The hook broken failed.");
    },
  );

  test("changes nothing if it changes its copy and throws", async () => {
    const transformResult: ToolHook["transformResult"] = (_call, { content, details }) => {
      (content[0] as { text: string }).text = "spoilt";
      (content as unknown[]).push({ type: "text", text: "more" });
      (details as { deep: { value: number } }).deep.value = 2;
      throw new Error("no");
    };
    const tools = [echo("echo", { execute: () => answer("a", { deep: { value: 1 } }) })];
    const outcome = await callEcho(await openHookedSession([{ name: "vandal", transformResult }], { tools }));
    expect(getOutcomeText(outcome)).toBe("a");
    expect(outcome.details).toEqual({ deep: { value: 1 } });
  });

  test("has its output limited", async () => {
    const flood: ToolHook = { name: "flood", transformResult: () => answer("x".repeat(1_000_000)) };
    const session = await openHookedSession([flood], { maxResultCharacters: 4000 });
    const outcome = await callEcho(session);
    expect(getOutcomeText(outcome).length).toBeLessThanOrEqual(4000);
    expect(getOutcomeText(outcome)).toContain("[Cut:");
    await session.close();
  });

  test("does not run for failures, and cannot change the effects of a call", async () => {
    let asked = 0;
    const transformResult = () => {
      asked++;
      return { ...answer("b"), receipt: "none" as const };
    };
    const fail = echo("fail", {
      execute: createThrower(new Error("broken")),
    });
    const session = await openHookedSession([{ name: "h", transformResult }], {
      tools: [fail, echo("echo", { effects: ["write"] })],
    });
    expect((await session.call({ name: "fail", arguments: { value: "a" } })).kind).toBe("error");
    expect(asked).toBe(0);
    expect(await callEcho(session)).toMatchObject({ receipt: "committed" });
  });

  test("does not lose the result if the call is aborted", async () => {
    const session = await openHookedSession([
      { name: "slow", transformResult: () => new Promise<never>(() => {}) },
    ]);
    const outcome = callEcho(session, "a", "1");
    await waitUntilSettled();
    session.abort("1");
    expect(getOutcomeText(await outcome)).toBe("a");
  });

  test("ignores later updates of the tool", async () => {
    let report: (() => void) | undefined;
    const tool = echo("echo", {
      execute: (_id, _args, _signal, onUpdate) => {
        report = () => onUpdate?.(answer("late"));
        return answer("a");
      },
    });
    const transformResult = () => {
      report!();
    };
    const session = await openHookedSession([{ name: "h", transformResult }], { tools: [tool] });
    const events = watch(session);
    await callEcho(session);
    expect(eventTypes(events)).not.toContain("tool-update");
  });
});

describe("a hook after a call", () => {
  test("gets the outcome and canonical arguments", async () => {
    const seen: unknown[] = [];
    const afterToolCall = (about: HookCall, { kind }: Readonly<ToolOutcome>) =>
      void seen.push([about.arguments, kind]);
    const tools = [echo("echo", { aliases: { value: ["text"] } })];
    const session = await openHookedSession([{ name: "h", afterToolCall }], { tools });
    await session.call({ name: "echo", arguments: '{"text":"a"}' });
    await session.call({ name: "echo", arguments: { nothing: 1 } });
    expect(seen).toEqual([
      [{ value: "a" }, "ok"],
      [{ nothing: 1 }, "error"],
    ]);
  });

  test("causes a diagnostic without a wait if it throws or hangs", async () => {
    const hooks: ToolHook[] = [
      {
        name: "throws",
        afterToolCall: createThrower(new Error("no")),
      },
      { name: "hangs", deadlineMs: 20, afterToolCall: () => new Promise(() => {}) },
      { name: "rejects", afterToolCall: async () => Promise.reject(new Error("no")) },
    ];
    const session = await openHookedSession(hooks);
    const events = watch(session);
    expect(getCode(await callEcho(session, "a", "1"))).toBe("ok");
    expect(events.some((event) => event.type === "hook-failed" && event.hook === "hangs")).toBe(false);
    await until(() => events.filter(({ type }) => type === "hook-failed").length === 3);
    expect(eventTypes(events).slice(0, 2)).toEqual(["tool-start", "tool-end"]);
  });

  test("cannot change the outcome", async () => {
    const afterToolCall = (_call: HookCall, outcome: Readonly<ToolOutcome>) => {
      (outcome.content[0] as { text: string }).text = "spoilt";
      (outcome as { kind: string }).kind = "error";
      (outcome.details as { deep: { value: number } }).deep.value = 2;
    };
    const tools = [echo("echo", { execute: () => answer("a", { deep: { value: 1 } }) })];
    const session = await openHookedSession([{ name: "vandal", afterToolCall }], { tools });
    const outcome = await callEcho(session);
    expect(outcome).toMatchObject({ kind: "ok", details: { deep: { value: 1 } } });
    expect(getOutcomeText(outcome)).toBe("a");
    expect(session.ledger()).toMatchObject([{ result: { details: { deep: { value: 1 } } } }]);
  });

  test("runs for details that cannot be copied", async () => {
    const seen: string[] = [];
    const tools = [echo("echo", { execute: () => answer("a", { run: () => {} }) })];
    const hook: ToolHook = {
      name: "h",
      transformResult: (_call, { content, details }) => ({ content: [...content], details }),
      afterToolCall: (_call, { kind }) => void seen.push(kind),
    };
    const outcome = await callEcho(await openHookedSession([hook], { tools }));
    expect(outcome.kind).toBe("ok");
    expect(seen).toEqual(["ok"]);
  });
});
