import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import type { HookCall, ToolHook } from "../src/hooks.ts";
import type { ToolOutcome } from "../src/result.ts";
import type { Session } from "../src/session.ts";
import {
  answer,
  codeOf,
  echo,
  eventTypes,
  gate,
  makeTool,
  memoryLogger,
  openSession,
  policyOf,
  said,
  sleep,
  watch,
  type TestSession,
} from "./support/kernel.ts";
import { until, waitingId } from "./support/approvals.ts";

/** A hook that does everything, and a list of what it was called for. */
function recorder(name = "recorder"): { hook: ToolHook; log: string[] } {
  const log: string[] = [];
  const note = (step: string) => (call: HookCall) => void log.push(`${step} ${call.toolCallId}`);
  return {
    log,
    hook: {
      name,
      beforeToolCall: note("before"),
      transformResult: note("transform"),
      afterToolCall: note("after"),
    },
  };
}

function open(hooks: readonly ToolHook[], setup: TestSession = {}): Promise<Session> {
  return openSession({ tools: [echo()], hooks, ...setup });
}

const call = (session: Session, value: unknown = "a", id?: string): Promise<ToolOutcome> =>
  session.call({ ...(id === undefined ? {} : { id }), name: "echo", arguments: { value } });

describe("a hook before a call that cannot be relied on blocks it", () => {
  const failures: [string, () => unknown, RegExp][] = [
    [
      "throws at once",
      () => {
        throw new Error("no route");
      },
      /no route/,
    ],
    ["rejects", () => Promise.reject(new Error("no route")), /no route/],
    ["rejects with nothing", () => Promise.reject(undefined), /undefined/],
    ["is late", () => new Promise(() => {}), /longer than 0.02 s/],
    ["answers true", () => true, /neither nothing nor an object/],
    ["answers a text", () => "block", /neither nothing nor an object/],
    ["answers a list", () => ["block"], /neither nothing nor an object/],
    ["answers with a misspelt member", () => ({ blocked: "no" }), /"blocked"/],
    ["answers with block: true", () => ({ block: true }), /"block" in its answer is not a text/],
    ["answers with ask: 1", () => ({ ask: 1 }), /"ask"/],
    ["answers with arguments that are not JSON", () => ({ arguments: { value: () => "a" } }), /not JSON/],
    ["answers with arguments that hold themselves", () => ({ arguments: cycle() }), /nested deeper/],
    [
      "answers with what cannot be read",
      () => ({
        get block(): never {
          throw new Error("unreadable");
        },
      }),
      /unreadable/,
    ],
  ];

  test.for(failures)("one that %s", async ([_what, beforeToolCall, reason]) => {
    const after = recorder();
    let ran = 0;
    const tools = [echo("echo", { execute: () => answer(`${++ran}`) })];
    const hook = { name: "gate", deadlineMs: 20, beforeToolCall: beforeToolCall as never };
    const session = await open([hook, after.hook], { tools });
    const outcome = await call(session, "a", "1");
    expect(outcome).toMatchObject({
      kind: "blocked",
      code: "HOOK_FAILED",
      receipt: "none",
      details: { hook: "gate" },
    });
    expect(said(outcome)).toMatch(reason);
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

  test("one that is late is told so, and its answer is not heard", async () => {
    const { promise, resolve } = gate<{ block: string }>();
    let told: AbortSignal | undefined;
    const beforeToolCall = ({ signal }: HookCall) => {
      told = signal;
      return promise;
    };
    const session = await open([{ name: "slow", deadlineMs: 10, beforeToolCall }]);
    expect(codeOf(await call(session))).toBe("HOOK_FAILED");
    expect(told!.aborted).toBe(true);
    resolve({ block: "late" });
    await sleep(1);
    expect(session.ledger()).toMatchObject([{ code: "HOOK_FAILED" }]);
  });

  test("aborted while it runs, the call is cancelled", async () => {
    for (const way of ["signal", "id", "close"] as const) {
      let told: AbortSignal | undefined;
      const beforeToolCall = ({ signal }: HookCall) => {
        told = signal;
        return new Promise<never>(() => {});
      };
      const session = await open([{ name: "slow", beforeToolCall }]);
      const controller = new AbortController();
      const request = { id: "1", name: "echo", arguments: { value: "a" } };
      const outcome = session.call(request, { signal: controller.signal });
      await sleep(1);
      if (way === "signal") controller.abort();
      else if (way === "id") session.abort("1");
      else await session.close();
      expect(await outcome).toMatchObject({ kind: "cancelled", receipt: "none" });
      expect(told!.aborted).toBe(true);
    }
  });
});

describe("before a call a hook can", () => {
  test("block it: the model reads why and what to do instead; later hooks are not asked", async () => {
    const later = recorder();
    const block = {
      name: "office",
      beforeToolCall: () => ({ block: "It is night.", fix: "Wait for the day." }),
    };
    const session = await open([block, { ...later.hook, name: "later" }]);
    const outcome = await call(session, "a", "1");
    expect(outcome).toMatchObject({ kind: "blocked", code: "HOOK_BLOCKED", details: { hook: "office" } });
    expect(said(outcome)).toBe("Blocked: It is night.\nWait for the day.");
    expect(later.log).toEqual(["after 1"]);
  });

  test("rewrite the arguments: each sees what the one before it made, and policy and tool the last", async () => {
    const seen: unknown[] = [];
    const append = (letter: string): ToolHook => ({
      name: letter,
      beforeToolCall: ({ arguments: given }) => {
        seen.push(given);
        return { arguments: { value: `${(given as { value: string }).value}${letter}` } };
      },
    });
    const asked: unknown[] = [];
    const policy = policyOf({ call: (_tool, args) => (asked.push(args), "allow") });
    const session = await open([append("b"), append("c")], { policy });
    expect(said(await call(session, "a"))).toBe("abc");
    expect(seen).toEqual([{ value: "a" }, { value: "ab" }]);
    expect(asked).toEqual([{ value: "abc" }]);
    expect(session.ledger()).toMatchObject([{ args: { value: "abc" } }]);
  });

  test("rewrite them in any way a model could: aliases, JSON text, wrong ones are refused", async () => {
    let rewritten: unknown;
    const tools = [echo("echo", { aliases: { value: ["text"] } })];
    const session = await open([{ name: "r", beforeToolCall: () => ({ arguments: rewritten }) }], { tools });
    rewritten = { text: "alias" };
    expect(said(await call(session))).toBe("alias");
    rewritten = '{"value":"json"}';
    expect(said(await call(session))).toBe("json");
    rewritten = { value: 1, other: 2 };
    expect(await call(session, "fine")).toMatchObject({ kind: "error", category: "input" });
    rewritten = { value: "x".repeat(8_000_001) };
    expect(codeOf(await call(session))).toBe("HOOK_FAILED");
  });

  test("rewrite what policy then denies", async () => {
    const policy = policyOf({
      call: (_tool, args) => ((args as { value: string }).value === "rm" ? "deny" : "allow"),
    });
    const session = await open([{ name: "r", beforeToolCall: () => ({ arguments: { value: "rm" } }) }], {
      policy,
    });
    expect(codeOf(await call(session))).toBe("POLICY_DENIED");
  });

  test("not change afterwards what it rewrote", async () => {
    const mine = { value: "a" };
    const hook = { name: "r", beforeToolCall: () => ({ arguments: mine }) };
    const session = await open([hook], { policy: policyOf({ call: () => "ask" }) });
    await call(session);
    mine.value = "rm";
    expect(said(await session.resolveApproval(waitingId(session), "allow-once"))).toBe("a");
  });

  test("have a person asked, with its reason, where policy allows; where it denies that stays so", async () => {
    const hook = { name: "night", beforeToolCall: () => ({ ask: "It is night." }) };
    const session = await open([hook]);
    expect(codeOf(await call(session))).toBe("PENDING_APPROVAL");
    expect(session.pendingApprovals()).toMatchObject([{ reason: "It is night." }]);
    expect(codeOf(await session.resolveApproval(waitingId(session), "allow-always"))).toBe("ok");
    expect(codeOf(await call(session))).toBe("ok");
    const denying = await open([hook], { policy: policyOf({ call: () => "deny" }) });
    expect(codeOf(await call(denying))).toBe("POLICY_DENIED");
  });

  test("not take back that every call is to be asked about", async () => {
    const everyTime = {
      effect: "ask" as const,
      id: "x",
      reason: "Always.",
      everyTime: "ask is always",
      trace: [],
    };
    const policy = { forSession: () => ({ visibility: () => everyTime, call: () => everyTime }) };
    const session = await open([{ name: "h", beforeToolCall: () => ({ ask: "Look." }) }], { policy });
    await call(session);
    expect(session.pendingApprovals()).toMatchObject([
      { noAlways: "ask is always", reason: "Always. Look." },
    ]);
  });

  test("change its copies, and nothing by that", async () => {
    const spoil = (about: HookCall) => {
      (about.arguments as { value: string }).value = "rm";
      (about.session as { kind: string }).kind = "main";
      (about.tool as { name: string }).name = "rm";
      (about.tool.effects as string[]).push("write");
    };
    const session = await open([{ name: "vandal", beforeToolCall: spoil, afterToolCall: spoil }], {
      open: { kind: "group" },
    });
    expect(said(await call(session))).toBe("a");
    expect(said(await call(session, "b"))).toBe("b");
    expect(session.facts.kind).toBe("group");
    expect(await session.explain("echo")).toMatchObject({ toolName: "echo" });
    expect(session.ledger()).toMatchObject([{ args: { value: "a" }, receipt: "none" }, {}]);
  });

  test("call the session itself: no deadlock", async () => {
    let session: Session | undefined;
    const beforeToolCall = async ({ toolCallId }: HookCall) => {
      if (toolCallId !== "outer") return;
      const inner = await session!.call({ id: "inner", name: "echo", arguments: { value: "b" } });
      if (said(inner) !== "b") throw new Error("not answered");
    };
    session = await open([{ name: "asks", deadlineMs: 2000, beforeToolCall }]);
    expect(said(await call(session, "a", "outer"))).toBe("a");
    expect(session.ledger().map(({ toolCallId }) => toolCallId)).toEqual(["outer", "inner"]);
  });

  test("know who is answered", async () => {
    const seen: unknown[] = [];
    const hook = { name: "h", beforeToolCall: ({ sender }: HookCall) => void seen.push(sender) };
    const session = await open([hook], { open: { sender: { id: "ann" } } });
    await call(session);
    await session.call({ name: "echo", arguments: { value: "b" } }, { sender: { id: "bob" } });
    await session.call({ name: "echo", arguments: { value: "c" } }, { sender: "system" });
    expect(seen).toEqual([{ id: "ann" }, { id: "bob" }, "system"]);
  });
});

describe("each function runs exactly once", () => {
  const all = (id: string) => [`before ${id}`, `transform ${id}`, `after ${id}`];

  test("for a call, and for each call a tool makes", async () => {
    const { hook, log } = recorder();
    const outer = makeTool("outer", {
      execute: async (_id, _args, _signal, _onUpdate, context) => {
        await context.call("echo", { value: "b" });
        return answer("done");
      },
    });
    const session = await open([hook], { tools: [outer, echo()] });
    await session.call({ id: "1", name: "outer" });
    expect(log).toEqual(["before 1", ...all("1.1"), "transform 1", "after 1"]);
  });

  test("for a call that was pending and is resumed", async () => {
    const { hook, log } = recorder();
    const session = await open([hook], { policy: policyOf({ call: () => "ask" }) });
    await call(session, "a", "1");
    expect(log).toEqual(["before 1"]);
    await session.resolveApproval(waitingId(session), "allow-once");
    expect(log).toEqual(all("1"));
  });

  test("for a call that is refused: by policy, for its arguments, as a duplicate, by a person", async () => {
    const { hook, log } = recorder();
    const policy = policyOf({
      call: (_tool, args) =>
        ({ deny: "deny", ask: "ask" } as const)[(args as { value: "ask" }).value] ?? "allow",
    });
    const send = echo("echo", { effects: ["message"] });
    const session = await open([hook], { tools: [send], policy });
    await call(session, "deny", "1");
    await call(session, 1, "2");
    await call(session, "ask", "3");
    await session.resolveApproval(waitingId(session), "deny");
    expect(log).toEqual(["1", "2", "3"].flatMap((id) => [`before ${id}`, `after ${id}`]));
    log.length = 0;
    await call(session, "once", "4");
    expect(codeOf(await call(session, "once", "5"))).toBe("DUPLICATE_CALL");
    expect(log).toEqual([...all("4"), "before 5", "after 5"]);
  });

  test("and never for a tool that is not there, or hidden", async () => {
    const { hook, log } = recorder();
    const session = await open([hook], { policy: policyOf({ visibility: () => "deny" }) });
    expect(codeOf(await call(session))).toBe("POLICY_DENIED");
    expect(codeOf(await session.call({ name: "nothing" }))).toBe("UNKNOWN_TOOL");
    expect(log).toEqual([]);
  });
});

describe("result middleware", () => {
  const adding = (name: string): ToolHook => ({
    name,
    transformResult: (_call, { content, details }) => ({
      content: [...content, { type: "text", text: name }],
      details: { ...(details as object), [name]: true },
    }),
  });

  test("each gets what the one before it made; the ledger and the model get the last", async () => {
    const session = await open([adding("b"), adding("c")]);
    const outcome = await call(session);
    expect(said(outcome)).toBe("a\n\nb\n\nc");
    expect(outcome.details).toEqual({ b: true, c: true });
    expect(session.ledger()).toMatchObject([{ result: { details: { b: true, c: true } } }]);
  });

  const failures: [string, () => unknown][] = [
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["is late", () => new Promise(() => {})],
    ["answers nonsense", () => ({ content: 5 })],
    ["answers false", () => false],
  ];

  test.for(failures)(
    "one that %s leaves the result as it was, and is a diagnostic",
    async ([_what, transform]) => {
      const logger = memoryLogger();
      const hook = { name: "broken", deadlineMs: 20, transformResult: transform as never };
      const session = await open([adding("b"), hook, adding("c")], { logger });
      const events = watch(session);
      expect(said(await call(session))).toBe("a\n\nb\n\nc");
      expect(events).toMatchObject([{}, { type: "hook-failed", hook: "broken" }, { type: "tool-end" }]);
      expect(logger.lines).toContain("The hook broken failed.");
    },
  );

  test("one that spoils its copy and throws has changed nothing", async () => {
    const transformResult: ToolHook["transformResult"] = (_call, { content, details }) => {
      (content[0] as { text: string }).text = "spoilt";
      (content as unknown[]).push({ type: "text", text: "more" });
      (details as { deep: { value: number } }).deep.value = 2;
      throw new Error("no");
    };
    const tools = [echo("echo", { execute: () => answer("a", { deep: { value: 1 } }) })];
    const outcome = await call(await open([{ name: "vandal", transformResult }], { tools }));
    expect(said(outcome)).toBe("a");
    expect(outcome.details).toEqual({ deep: { value: 1 } });
  });

  test("its result is bounded like any other", async () => {
    const flood: ToolHook = { name: "flood", transformResult: () => answer("x".repeat(1_000_000)) };
    const session = await open([flood], { maxResultCharacters: 4000 });
    const outcome = await call(session);
    expect(said(outcome).length).toBeLessThanOrEqual(4000);
    expect(said(outcome)).toContain("[Cut:");
    await session.close();
  });

  test("is not asked about failures, and cannot change what a call did", async () => {
    let asked = 0;
    const transformResult = () => (asked++, { ...answer("b"), receipt: "none" as const });
    const fail = echo("fail", {
      execute: () => {
        throw new Error("broken");
      },
    });
    const session = await open([{ name: "h", transformResult }], {
      tools: [fail, echo("echo", { effects: ["write"] })],
    });
    expect((await session.call({ name: "fail", arguments: { value: "a" } })).kind).toBe("error");
    expect(asked).toBe(0);
    expect(await call(session)).toMatchObject({ receipt: "committed" });
  });

  test("aborted meanwhile, the result stands: the tool has done its work", async () => {
    const session = await open([{ name: "slow", transformResult: () => new Promise<never>(() => {}) }]);
    const outcome = call(session, "a", "1");
    await sleep(2);
    session.abort("1");
    expect(said(await outcome)).toBe("a");
  });

  test("what the tool still reports meanwhile is not heard", async () => {
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
    const session = await open([{ name: "h", transformResult }], { tools: [tool] });
    const events = watch(session);
    await call(session);
    expect(eventTypes(events)).not.toContain("tool-update");
  });
});

describe("after a call", () => {
  test("observers get how it ended, and canonical arguments", async () => {
    const seen: unknown[] = [];
    const afterToolCall = (about: HookCall, { kind }: Readonly<ToolOutcome>) =>
      void seen.push([about.arguments, kind]);
    const tools = [echo("echo", { aliases: { value: ["text"] } })];
    const session = await open([{ name: "h", afterToolCall }], { tools });
    await session.call({ name: "echo", arguments: '{"text":"a"}' });
    await session.call({ name: "echo", arguments: { nothing: 1 } });
    expect(seen).toEqual([
      [{ value: "a" }, "ok"],
      [{ nothing: 1 }, "error"],
    ]);
  });

  test("one that throws or hangs is a diagnostic, and nobody waits for it", async () => {
    const hooks: ToolHook[] = [
      {
        name: "throws",
        afterToolCall: () => {
          throw new Error("no");
        },
      },
      { name: "hangs", deadlineMs: 20, afterToolCall: () => new Promise(() => {}) },
      { name: "rejects", afterToolCall: async () => Promise.reject(new Error("no")) },
    ];
    const session = await open(hooks);
    const events = watch(session);
    expect(codeOf(await call(session, "a", "1"))).toBe("ok");
    expect(events.some((event) => event.type === "hook-failed" && event.hook === "hangs")).toBe(false);
    await until(() => events.filter(({ type }) => type === "hook-failed").length === 3);
    expect(eventTypes(events).slice(0, 2)).toEqual(["tool-start", "tool-end"]);
  });

  test("one that changes what it is told changes nothing", async () => {
    const afterToolCall = (_call: HookCall, outcome: Readonly<ToolOutcome>) => {
      (outcome.content[0] as { text: string }).text = "spoilt";
      (outcome as { kind: string }).kind = "error";
      (outcome.details as { deep: { value: number } }).deep.value = 2;
    };
    const tools = [echo("echo", { execute: () => answer("a", { deep: { value: 1 } }) })];
    const session = await open([{ name: "vandal", afterToolCall }], { tools });
    const outcome = await call(session);
    expect(outcome).toMatchObject({ kind: "ok", details: { deep: { value: 1 } } });
    expect(said(outcome)).toBe("a");
    expect(session.ledger()).toMatchObject([{ result: { details: { deep: { value: 1 } } } }]);
  });

  test("details that cannot be copied disturb nobody", async () => {
    const seen: string[] = [];
    const tools = [echo("echo", { execute: () => answer("a", { run: () => {} }) })];
    const hook: ToolHook = {
      name: "h",
      transformResult: (_call, { content, details }) => ({ content: [...content], details }),
      afterToolCall: (_call, { kind }) => void seen.push(kind),
    };
    const outcome = await call(await open([hook], { tools }));
    expect(outcome.kind).toBe("ok");
    expect(seen).toEqual(["ok"]);
  });
});

test("without hooks a call goes through the same events and ends the same", async () => {
  const tool = makeTool("echo", { parameters: Type.Object({ value: Type.String() }) });
  const run = async (hooks: readonly ToolHook[]) => {
    const session = await open(hooks, { tools: [tool] });
    const events = watch(session);
    const { durationMs: _ms, ...outcome } = await call(session, "a", "1");
    return { outcome, types: eventTypes(events), status: session.ledger()[0]!.status };
  };
  expect(
    await run([{ name: "silent", beforeToolCall() {}, transformResult() {}, afterToolCall() {} }]),
  ).toEqual(await run([]));
});
