import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import type { HookCall, ToolHook } from "../../src/contract/hooks.ts";
import type { Session } from "../../src/session/session.ts";
import { getWaitingId } from "../support/approvals.ts";
import { callEcho, openHookedSession, recorder } from "../support/hooks.ts";
import {
  answer,
  getCode,
  echo,
  eventTypes,
  createGate,
  makeTool,
  createTestPolicy,
  getOutcomeText,
  waitUntilSettled,
  watch,
  createThrower,
} from "../support/kernel.ts";

describe("an unreliable hook before a call", () => {
  const failures: [string, () => unknown, RegExp][] = [
    ["throws at once", createThrower(new Error("no route")), /no route/],
    ["rejects", () => Promise.reject(new Error("no route")), /no route/],
    ["is late", () => new Promise(() => {}), /longer than 0.02 s/],
    ["answers true", () => true, /neither undefined nor an object/],
    ["answers a text", () => "block", /neither undefined nor an object/],
    ["answers a list", () => ["block"], /neither undefined nor an object/],
    ["answers with a misspelt member", () => ({ blocked: "no" }), /"blocked"/],
    ["answers with block: true", () => ({ block: true }), /"block" in its answer is not a text/],
    ["answers with ask: 1", () => ({ ask: 1 }), /"ask"/],
    ["answers with arguments that are not JSON", () => ({ arguments: { value: () => "a" } }), /not JSON/],
    ["answers with arguments that contain themselves", () => ({ arguments: cycle() }), /nested deeper/],
    [
      "answers with an unreadable value",
      () => ({
        get block(): never {
          throw new Error("unreadable");
        },
      }),
      /unreadable/,
    ],
  ];

  test.for(failures)("blocks the call if it %s", async ([_what, beforeToolCall, reason]) => {
    const after = recorder();
    let ran = 0;
    const tools = [echo("echo", { execute: () => answer(`${++ran}`) })];
    const hook = { name: "gate", deadlineMs: 20, beforeToolCall: beforeToolCall as never };
    const session = await openHookedSession([hook, after.hook], { tools });
    const outcome = await callEcho(session, "a", "1");
    expect(outcome).toMatchObject({
      kind: "blocked",
      code: "HOOK_FAILED",
      receipt: "none",
      details: { hook: "gate" },
    });
    expect(getOutcomeText(outcome)).toMatch(reason);
    expect(ran).toBe(0);
    expect(session.ledger()).toMatchObject([{ status: "failed", code: "HOOK_FAILED" }]);
    // The first block ends it; the observers are told.
    expect(after.log).toEqual(["after 1"]);
  });

  function cycle(): object {
    const value: Record<string, unknown> = {};
    value["value"] = value;
    return value;
  }

  test("is late and its answer is ignored", async () => {
    const { promise, resolve } = createGate<{ block: string }>();
    let received: AbortSignal | undefined;
    const beforeToolCall = ({ signal }: HookCall) => {
      received = signal;
      return promise;
    };
    const session = await openHookedSession([{ name: "slow", deadlineMs: 10, beforeToolCall }]);
    expect(getCode(await callEcho(session))).toBe("HOOK_FAILED");
    expect(received!.aborted).toBe(true);
    resolve({ block: "late" });
    await waitUntilSettled();
    expect(session.ledger()).toMatchObject([{ code: "HOOK_FAILED" }]);
  });

  test("does not prevent the cancellation of the call", async () => {
    for (const way of ["signal", "id", "close"] as const) {
      let received: AbortSignal | undefined;
      const beforeToolCall = ({ signal }: HookCall) => {
        received = signal;
        return new Promise<never>(() => {});
      };
      const session = await openHookedSession([{ name: "slow", beforeToolCall }]);
      const controller = new AbortController();
      const request = { id: "1", name: "echo", arguments: { value: "a" } };
      const outcome = session.call(request, { signal: controller.signal });
      await waitUntilSettled();
      if (way === "signal") controller.abort();
      else if (way === "id") session.abort("1");
      else await session.close();
      expect(await outcome).toMatchObject({ kind: "cancelled", receipt: "none" });
      expect(received!.aborted).toBe(true);
    }
  });
});

describe("a hook before a call", () => {
  test("can block it with reason and fix for the model, and later hooks do not run", async () => {
    const later = recorder();
    const block = {
      name: "office",
      beforeToolCall: () => ({ block: "It is night.", fix: "Wait for the day." }),
    };
    const session = await openHookedSession([block, { ...later.hook, name: "later" }]);
    const outcome = await callEcho(session, "a", "1");
    expect(outcome).toMatchObject({ kind: "blocked", code: "HOOK_BLOCKED", details: { hook: "office" } });
    expect(getOutcomeText(outcome)).toBe("Blocked: It is night.\nWait for the day.");
    expect(later.log).toEqual(["after 1"]);
  });

  test("can replace arguments for later hooks, policy and tool", async () => {
    const seen: unknown[] = [];
    const append = (letter: string): ToolHook => ({
      name: letter,
      beforeToolCall: ({ arguments: given }) => {
        seen.push(given);
        return { arguments: { value: `${(given as { value: string }).value}${letter}` } };
      },
    });
    const requests: unknown[] = [];
    const policy = createTestPolicy({ call: (_tool, args) => (requests.push(args) > 0 ? "allow" : "deny") });
    const session = await openHookedSession([append("b"), append("c")], { policy });
    expect(getOutcomeText(await callEcho(session, "a"))).toBe("abc");
    expect(seen).toEqual([{ value: "a" }, { value: "ab" }]);
    expect(requests).toEqual([{ value: "abc" }]);
    expect(session.ledger()).toMatchObject([{ args: { value: "abc" } }]);
  });

  test("can replace arguments in every form of a model, and invalid arguments are refused", async () => {
    let rewritten: unknown;
    const tools = [echo("echo", { aliases: { value: ["text"] } })];
    const session = await openHookedSession(
      [{ name: "r", beforeToolCall: () => ({ arguments: rewritten }) }],
      {
        tools,
      },
    );
    rewritten = { text: "alias" };
    expect(getOutcomeText(await callEcho(session))).toBe("alias");
    rewritten = '{"value":"json"}';
    expect(getOutcomeText(await callEcho(session))).toBe("json");
    rewritten = { value: 1, other: 2 };
    expect(await callEcho(session, "fine")).toMatchObject({ kind: "error", category: "input" });
    rewritten = { value: "x".repeat(8_000_001) };
    expect(getCode(await callEcho(session))).toBe("HOOK_FAILED");
  });

  test("can replace arguments that policy then denies", async () => {
    const policy = createTestPolicy({
      call: (_tool, args) => ((args as { value: string }).value === "rm" ? "deny" : "allow"),
    });
    const session = await openHookedSession(
      [{ name: "r", beforeToolCall: () => ({ arguments: { value: "rm" } }) }],
      {
        policy,
      },
    );
    expect(getCode(await callEcho(session))).toBe("POLICY_DENIED");
  });

  test("cannot change its replacement later", async () => {
    const replaced = { value: "a" };
    const hook = { name: "r", beforeToolCall: () => ({ arguments: replaced }) };
    const session = await openHookedSession([hook], { policy: createTestPolicy({ call: () => "ask" }) });
    await callEcho(session);
    replaced.value = "rm";
    expect(getOutcomeText(await session.resolveApproval(getWaitingId(session), "allow-once"))).toBe("a");
  });

  test("can require approval with its reason, except for a denied call", async () => {
    const hook = { name: "night", beforeToolCall: () => ({ ask: "It is night." }) };
    const session = await openHookedSession([hook]);
    expect(getCode(await callEcho(session))).toBe("PENDING_APPROVAL");
    expect(session.pendingApprovals()).toMatchObject([{ reason: "It is night." }]);
    expect(getCode(await session.resolveApproval(getWaitingId(session), "allow-always"))).toBe("ok");
    expect(getCode(await callEcho(session))).toBe("ok");
    const denying = await openHookedSession([hook], { policy: createTestPolicy({ call: () => "deny" }) });
    expect(getCode(await callEcho(denying))).toBe("POLICY_DENIED");
  });

  test("cannot undo that every call needs approval", async () => {
    const everyTime = {
      effect: "ask" as const,
      id: "x",
      reason: "Always.",
      everyTime: "ask is always",
      trace: [],
    };
    const policy = { forSession: () => ({ visibility: () => everyTime, call: () => everyTime }) };
    const session = await openHookedSession([{ name: "h", beforeToolCall: () => ({ ask: "Look." }) }], {
      policy,
    });
    await callEcho(session);
    expect(session.pendingApprovals()).toMatchObject([
      { noAlways: "ask is always", reason: "Always. Look." },
    ]);
  });

  test("can change its copies without an effect", async () => {
    const spoil = (about: HookCall) => {
      (about.arguments as { value: string }).value = "rm";
      (about.session as { kind: string }).kind = "main";
      (about.tool as { name: string }).name = "rm";
      (about.tool.effects as string[]).push("write");
    };
    const session = await openHookedSession(
      [{ name: "vandal", beforeToolCall: spoil, afterToolCall: spoil }],
      {
        open: { kind: "group" },
      },
    );
    expect(getOutcomeText(await callEcho(session))).toBe("a");
    expect(getOutcomeText(await callEcho(session, "b"))).toBe("b");
    expect(session.facts.kind).toBe("group");
    expect(await session.explain("echo")).toMatchObject({ toolName: "echo" });
    expect(session.ledger()).toMatchObject([{ args: { value: "a" }, receipt: "none" }, {}]);
  });

  test("can call the session without a deadlock", async () => {
    const made = createGate<Session>();
    const beforeToolCall = async ({ toolCallId }: HookCall) => {
      if (toolCallId !== "outer") return;
      const inner = await (await made.promise).call({ id: "inner", name: "echo", arguments: { value: "b" } });
      if (getOutcomeText(inner) !== "b") throw new Error("not answered");
    };
    const session = await openHookedSession([{ name: "asks", deadlineMs: 2000, beforeToolCall }]);
    made.resolve(session);
    expect(getOutcomeText(await callEcho(session, "a", "outer"))).toBe("a");
    expect(session.ledger().map(({ toolCallId }) => toolCallId)).toEqual(["outer", "inner"]);
  });

  test("knows the sender", async () => {
    const seen: unknown[] = [];
    const hook = { name: "h", beforeToolCall: ({ sender }: HookCall) => void seen.push(sender) };
    const session = await openHookedSession([hook], { open: { sender: { id: "ann" } } });
    await callEcho(session);
    await session.call({ name: "echo", arguments: { value: "b" } }, { sender: { id: "bob" } });
    await session.call({ name: "echo", arguments: { value: "c" } }, { sender: "system" });
    expect(seen).toEqual([{ id: "ann" }, { id: "bob" }, "system"]);
  });
});

test("leaves events and outcome unchanged without hooks", async () => {
  const tool = makeTool("echo", { parameters: Type.Object({ value: Type.String() }) });
  const run = async (hooks: readonly ToolHook[]) => {
    const session = await openHookedSession(hooks, { tools: [tool] });
    const events = watch(session);
    const { durationMs: _ms, ...outcome } = await callEcho(session, "a", "1");
    return { outcome, types: eventTypes(events), status: session.ledger()[0]!.status };
  };
  expect(
    await run([{ name: "silent", beforeToolCall() {}, transformResult() {}, afterToolCall() {} }]),
  ).toEqual(await run([]));
});
