import { Type } from "@sinclair/typebox";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  answer,
  getCode,
  echo,
  createGate,
  makeTool,
  openSession,
  createTestPolicy,
  waitUntilSettled,
} from "../../support/kernel.ts";
import { testStore } from "../../support/ledger.ts";

/** Notes when it runs, among the batches. */
function writer(batches: string[][], name = "save") {
  return echo(name, {
    effects: ["write"],
    execute: (id) => {
      batches.push([`${id} RUNS`]);
      return answer("saved");
    },
  });
}

describe("the time of a write", () => {
  test("is never before the first call", async () => {
    const store = testStore();
    const session = await openSession({ tools: [echo()], store });
    expect(session.run).toBeUndefined();
    await session.close();
    expect(store.opened).toHaveLength(0);
  });

  for (const isSlow of [false, true]) {
    test(`is before a call with changes begins, and before its outcome (${isSlow ? "slow" : "sync"})`, async () => {
      const store = Object.assign(testStore(), { isSlow });
      const session = await openSession({ tools: [writer(store.batches)], store });
      const outcome = await session.call({ id: "a", name: "save", arguments: { value: "x" } });
      expect(outcome.kind).toBe("ok");
      expect(store.batches).toEqual([["a executing"], ["a RUNS"], ["a completed"]]);
      expect(session.run).toEqual({ runId: store.opened[0]!.record.runId, epoch: 1 });
      await session.close();
    });
  }

  test("is soon for several reads together, or with the next write", async () => {
    // However long a call takes here, its time is not over.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const store = testStore();
    const session = await openSession({
      tools: [echo("look", { effects: ["read"] }), writer(store.batches)],
      store,
    });
    for (const value of ["1", "2"]) await session.call({ name: "look", arguments: { value } });
    expect(store.batches).toEqual([]);
    await session.call({ id: "w", name: "save", arguments: { value: "x" } });
    expect(store.batches[0]).toEqual(["call_1 completed", "call_2 completed", "w executing"]);
    await session.call({ name: "look", arguments: { value: "3" } });
    await vi.advanceTimersByTimeAsync(5_000);
    vi.useRealTimers();
    expect(store.batches.at(-1)).toEqual(["call_3 completed"]);
    expect((await store.all()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    await session.close();
  });

  test("is a flush for reads, and a flush never rejects", async () => {
    const store = testStore();
    const session = await openSession({ tools: [echo("look", { effects: ["read"] })], store });
    await session.flush();
    await session.call({ id: "a", name: "look", arguments: { value: "1" } });
    expect(store.batches).toEqual([]);
    await session.flush();
    expect(store.batches).toEqual([["a completed"]]);
    await session.close();
    await session.flush();
    expect(store.batches).toEqual([["a completed"]]);
  });

  test("comes for synchronous calls that block timers, and no call is refused", async () => {
    const store = testStore();
    const session = await openSession({ tools: [echo("look", { effects: ["read"] })], store });
    // More than are kept while a store is away.
    for (let call = 0; call < 12_000; call++) {
      const { kind } = await session.call({ name: "look", arguments: { value: `${call}` } });
      if (kind !== "ok") expect.fail(`Call ${call}: ${kind}`);
    }
    const written = store.batches.flat().length;
    expect(written).toBeGreaterThan(11_000);
    expect(Math.max(...store.batches.map(({ length }) => length))).toBeLessThan(1000);
    await session.close();
    expect(store.batches.flat()).toEqual(
      Array.from({ length: 12_000 }, (_, at) => `call_${at + 1} completed`),
    );
  });

  test("comes after the delay for a few synchronous calls", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const store = testStore();
    const busy = echo("look", {
      effects: ["read"],
      execute: () => {
        vi.advanceTimersByTime(60);
        return answer("seen");
      },
    });
    const session = await openSession({ tools: [busy], store });
    for (const value of ["1", "2", "3"]) await session.call({ name: "look", arguments: { value } });
    expect(store.batches[0]).toEqual(["call_1 completed", "call_2 completed"]);
    await session.close();
  });

  test("comes for refused and blocked calls, unknown tools and invalid arguments", async () => {
    const store = testStore();
    const policy = createTestPolicy({ call: ({ name }) => (name === "no" ? "deny" : "allow") });
    const session = await openSession({ tools: [echo("no", { effects: ["write"] }), echo()], policy, store });
    await session.call({ name: "no", arguments: { value: "x" } });
    await session.call({ name: "nothing" });
    await session.call({ name: "echo", arguments: "{ broken" });
    await session.close();
    expect(await store.all()).toMatchObject([
      { code: "POLICY_DENIED", outcome: "blocked", receipt: "none", decision: { effect: "deny" } },
      { code: "UNKNOWN_TOOL", outcome: "error", category: "input" },
      { code: "INVALID_ARGUMENTS", outcome: "error", args: "{ broken" },
    ]);
  });

  test("comes at the close for the rest, and the run is closed", async () => {
    const store = testStore();
    const session = await openSession({ tools: [echo()], store, open: { sessionKey: "s" } });
    await session.call({ name: "echo", arguments: { value: "x" } });
    await session.close();
    expect(await store.all()).toMatchObject([{ toolCallId: "call_1", status: "completed" }]);
    const [run] = (await store.runs()).items;
    expect(run).toMatchObject({ sessionKey: "s", mode: "plan", workspace: { place: "host", cwd: "/work" } });
    expect(run!.heldBy).toBeUndefined();
  });

  test("is before the effect of each inner call, with its parent call", async () => {
    const store = testStore();
    const outer = makeTool("outer", {
      effects: ["execute"],
      execute: async (_id, _params, _signal, _update, context) => {
        await context.call("save", { value: "x" });
        return answer("done");
      },
    });
    const session = await openSession({ tools: [outer, writer(store.batches)], store });
    await session.call({ id: "o", name: "outer" });
    expect(store.batches).toEqual([
      ["o executing"],
      ["o.1 executing"],
      ["o.1 RUNS"],
      ["o.1 completed"],
      ["o completed"],
    ]);
    expect((await session.findRecord("o.1"))?.parentCallId).toBe("o");
    await session.close();
  });

  test("comes for an aborted call, without late results of its tool", async () => {
    const store = testStore();
    const late = createGate<ReturnType<typeof answer>>();
    const tool = makeTool("slow", { effects: ["write"], execute: () => late.promise });
    const session = await openSession({ tools: [tool], store });
    const running = session.call({ id: "a", name: "slow" });
    await waitUntilSettled();
    session.abort("a", "enough.");
    expect(await running).toMatchObject({ kind: "cancelled", receipt: "unknown" });
    late.resolve(answer("it was done"));
    await waitUntilSettled();
    expect(await session.findRecord("a")).toMatchObject({
      status: "failed",
      outcome: "cancelled",
      receipt: "unknown",
    });
    await session.close();
    expect(store.batches).toEqual([["a executing"], ["a failed"]]);
  });

  test("is shared by parallel calls, and each is stored before its outcome", async () => {
    const store = Object.assign(testStore(), { isSlow: true });
    const tool = echo("save", { effects: ["write"] });
    const session = await openSession({ tools: [tool], store });
    const calls = Array.from({ length: 50 }, async (_, i) => {
      const outcome = await session.call({ id: `c${i}`, name: "save", arguments: { value: `${i}` } });
      const { runId } = session.run!;
      expect(await store.call(runId, `c${i}`)).toMatchObject({ status: "completed" });
      return getCode(outcome);
    });
    expect(new Set(await Promise.all(calls))).toEqual(new Set(["ok"]));
    expect(store.batches.length).toBeLessThan(40);
    expect((await store.all()).map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    await session.close();
  });

  test("is before a tool can change its arguments", async () => {
    const store = testStore();
    const tool = makeTool("save", {
      effects: ["write"],
      parameters: Type.Object({ list: Type.Array(Type.Number()) }),
      execute: (_id, params) => {
        params.list.push(2);
        return answer("done");
      },
    });
    const session = await openSession({ tools: [tool], store });
    await session.call({ id: "a", name: "save", arguments: { list: [1] } });
    expect(await store.all()).toMatchObject([{ status: "completed", args: { list: [1] } }]);
    await session.close();
  });

  test("does not start a call that is aborted during the write", async () => {
    const store = Object.assign(testStore(), { isSlow: true });
    const session = await openSession({ tools: [writer(store.batches)], store });
    await session.call({ name: "save", arguments: { value: "first" } });
    store.writing = "hangs";
    const running = session.call({ id: "a", name: "save", arguments: { value: "x" } });
    await waitUntilSettled();
    session.abort("a");
    store.writing = undefined;
    store.release();
    expect(await running).toMatchObject({ kind: "cancelled", receipt: "none" });
    expect(store.batches.flat()).not.toContain("a RUNS");
    expect(await session.findRecord("a")).toMatchObject({ status: "failed", receipt: "none" });
    await session.close();
  });
});
