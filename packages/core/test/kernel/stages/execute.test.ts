import { describe, expect, test } from "vitest";
import type { ToolResult, ToolOutcome } from "../../../src/contract/result.ts";
import type { ToolUpdate } from "../../../src/contract/tool.ts";
import {
  answer,
  eventTypes,
  createGate,
  makeTool,
  memoryLogger,
  openSession,
  getOutcomeText,
  waitUntilSettled,
  sleep,
  watch,
  createThrower,
} from "../../support/kernel.ts";

/** What a tool does that honours its signal and says how far it got. */
function stopping(result?: ToolResult) {
  return (_id: string, _params: unknown, signal: AbortSignal) => {
    const { promise, resolve, reject } = createGate<ToolResult>();
    signal.addEventListener("abort", () => (result ? resolve(result) : reject(new Error("stopped"))), {
      once: true,
    });
    return promise;
  };
}

const deaf = () => createGate<never>().promise;

describe("the deadline", () => {
  test.for([
    ["the call's", { deadlineMs: 20 }, {}, {}],
    ["the tool's", {}, { deadlineMs: 20 }, {}],
    ["the session's", {}, {}, { deadlineMs: 20 }],
    ["the call's before the tool's", { deadlineMs: 20 }, { deadlineMs: 60_000 }, {}],
    ["the tool's before the session's", {}, { deadlineMs: 20 }, { deadlineMs: 60_000 }],
  ] as const)("is %s", async ([_which, options, parts, environment]) => {
    const session = await openSession({
      tools: [makeTool("slow", { ...parts, execute: stopping() })],
      ...environment,
    });
    const outcome = await session.call({ name: "slow" }, options);
    expect(outcome).toMatchObject({ kind: "error", code: "DEADLINE_EXCEEDED", category: "operational" });
    expect(session.ledger()).toMatchObject([{ status: "failed", code: "DEADLINE_EXCEEDED" }]);
  });

  test("is disabled by 0, also for a tool with one", async () => {
    const execute = () => sleep(40).then(() => answer("done"));
    const session = await openSession({ tools: [makeTool("slow", { deadlineMs: 10, execute })] });
    expect(await session.call({ name: "slow" }, { deadlineMs: 0 })).toMatchObject({ kind: "ok" });
  });

  test.for([Infinity, 2 ** 31, 1e15])("does not end a call at once with %d ms", async (deadlineMs) => {
    const execute = () => sleep(20).then(() => answer("done"));
    const session = await openSession({ tools: [makeTool("slow", { execute })] });
    expect(await session.call({ name: "slow" }, { deadlineMs })).toMatchObject({ kind: "ok" });
  });

  test("leaves unknown effects and tells the model to check", async () => {
    const session = await openSession({ tools: [makeTool("slow", { effects: ["write"], execute: deaf })] });
    const outcome = await session.call({ name: "slow" }, { deadlineMs: 10 });
    expect(outcome).toMatchObject({ code: "DEADLINE_EXCEEDED", receipt: "unknown" });
    expect(getOutcomeText(outcome)).toContain("Check its effects before you repeat it");
  });
});

describe("an abort", () => {
  test("prevents a call that has not begun", async () => {
    let runs = 0;
    const session = await openSession({ tools: [makeTool("act", { execute: () => answer(`${++runs}`) })] });
    const outcome = await session.call({ name: "act" }, { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ kind: "cancelled", code: "CANCELLED", receipt: "none" });
    expect(runs).toBe(0);
    expect(session.ledger()).toMatchObject([{ status: "failed", outcome: "cancelled" }]);
  });

  test("ends a running call, by signal or by id", async () => {
    const session = await openSession({
      tools: [makeTool("slow", { effects: ["write"], execute: stopping() })],
    });
    const controller = new AbortController();
    const bySignal = session.call({ id: "1", name: "slow" }, { signal: controller.signal });
    const byId = session.call({ id: "2", name: "slow" });
    await waitUntilSettled();
    controller.abort();
    expect(session.abort("2", "the user stopped it.")).toBe(true);
    expect(await bySignal).toMatchObject({ kind: "cancelled", receipt: "unknown" });
    expect(getOutcomeText(await byId)).toContain("the user stopped it. It may have taken effect in part");
    expect(session.abort("2")).toBe(false);
  });

  test("does not change the outcome of a tool that finished its work", async () => {
    const session = await openSession({
      tools: [makeTool("slow", { effects: ["write"], execute: stopping(answer("written")) })],
    });
    const outcome = session.call({ id: "1", name: "slow" });
    await waitUntilSettled();
    session.abort("1");
    expect(await outcome).toMatchObject({ kind: "ok", receipt: "committed" });
  });

  test("does not wait for a tool that ignores it, and late results change nothing", async () => {
    const { promise, resolve } = createGate<ToolResult>();
    let update: ToolUpdate | undefined;
    const tool = makeTool("deaf", {
      effects: ["write"],
      execute: (_id, _params, _signal, onUpdate) => {
        update = onUpdate;
        return promise;
      },
    });
    const session = await openSession({ tools: [tool] });
    const events = watch(session);
    const call = session.call({ id: "1", name: "deaf" });
    await waitUntilSettled();
    session.abort("1");
    expect(await call).toMatchObject({ kind: "cancelled", receipt: "unknown" });
    const count = events.length;
    update!(answer("late"));
    resolve(answer("late"));
    await waitUntilSettled();
    expect(events).toHaveLength(count);
    expect(session.ledger()).toMatchObject([{ status: "failed", outcome: "cancelled", receipt: "unknown" }]);
  });

  test.each([undefined, {}, { content: "half" }, { content: [{ type: "video" }] }])(
    "ignores an invalid update, and the log names the tool and its plugin: %o",
    async (partial) => {
      const warned: unknown[] = [];
      const tool = makeTool("odd", {
        execute: (_id, _params, _signal, onUpdate) => {
          onUpdate?.(partial as never);
          onUpdate?.(answer("half"));
          return answer("whole");
        },
      });
      const warn = (...given: unknown[]) => void warned.push(given);
      const session = await openSession({
        tools: [tool],
        logger: { debug() {}, info() {}, warn, error: warn },
      });
      const events = watch(session);
      expect(await session.call({ id: "1", name: "odd" })).toMatchObject({ kind: "ok" });
      const updates = events.filter(({ type }) => type === "tool-update");
      expect(updates).toMatchObject([{ partial: { content: [{ text: "half" }] } }]);
      expect(warned).toMatchObject([[expect.stringContaining("odd"), { plugin: expect.any(String) }]]);
    },
  );

  test("is not affected by a late failure of the tool", async () => {
    const { promise, reject } = createGate<ToolResult>();
    const session = await openSession({ tools: [makeTool("deaf", { execute: () => promise })] });
    const call = session.call({ id: "1", name: "deaf" });
    await waitUntilSettled();
    session.abort("1");
    await call;
    reject(new Error("late"));
    await waitUntilSettled();
    expect(session.ledger()).toMatchObject([{ outcome: "cancelled" }]);
  });

  test("works at the moment the tool is entered", async () => {
    const controller = new AbortController();
    const execute = () => {
      controller.abort();
      return createGate<never>().promise;
    };
    const session = await openSession({ tools: [makeTool("act", { execute })] });
    expect(await session.call({ name: "act" }, { signal: controller.signal })).toMatchObject({
      kind: "cancelled",
    });
  });

  test("returns false for an unknown call", async () => {
    expect((await openSession()).abort("nobody")).toBe(false);
  });

  test("leaves no listener on a shared signal", async () => {
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (type: string, listener: EventListener) => {
      listeners++;
      add(type, listener);
    };
    signal.removeEventListener = (type: string, listener: EventListener) => {
      listeners--;
      remove(type, listener);
    };
    const session = await openSession({
      tools: [makeTool("act", { execute: () => sleep(1).then(() => answer("a")) })],
    });
    for (let i = 0; i < 5; i++) await session.call({ name: "act" }, { signal: controller.signal });
    expect(listeners).toBe(0);
  });
});

describe("updates", () => {
  test("reach caller and listeners in order before the end", async () => {
    const tool = makeTool("act", {
      execute: async (_id, _params, _signal, onUpdate) => {
        onUpdate!(answer("half"));
        await waitUntilSettled();
        onUpdate!(answer("most"));
        return answer("all");
      },
    });
    const session = await openSession({ tools: [tool] });
    const events = watch(session);
    const updates: ToolResult[] = [];
    await session.call({ name: "act" }, { onUpdate: (partial) => updates.push(partial) });
    expect(updates).toEqual([answer("half"), answer("most")]);
    expect(eventTypes(events)).toEqual(["tool-start", "tool-update", "tool-update", "tool-end"]);
  });

  test("are ignored after the end", async () => {
    let late: ToolUpdate | undefined;
    const tool = makeTool("act", {
      execute: (_id, _params, _signal, onUpdate) => {
        late = onUpdate;
        return answer("all");
      },
    });
    const session = await openSession({ tools: [tool] });
    const events = watch(session);
    const updates: ToolResult[] = [];
    await session.call({ name: "act" }, { onUpdate: (partial) => updates.push(partial) });
    late!(answer("late"));
    expect(updates).toEqual([]);
    expect(eventTypes(events)).toEqual(["tool-start", "tool-end"]);
  });

  test("do not affect the tool if the caller throws", async () => {
    const logger = memoryLogger();
    const tool = makeTool("act", {
      execute: (_id, _params, _signal, onUpdate) => {
        onUpdate!(answer("half"));
        return answer("all");
      },
    });
    const session = await openSession({ tools: [tool], logger });
    const onUpdate = createThrower(new Error("the window is closed"));
    const outcome: ToolOutcome = await session.call({ name: "act" }, { onUpdate });
    expect(outcome).toMatchObject({ kind: "ok" });
    expect(logger.lines).toEqual(["onUpdate threw."]);
  });
});
