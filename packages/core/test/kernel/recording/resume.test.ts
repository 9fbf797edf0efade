import { afterEach, describe, expect, test, vi } from "vitest";
import {
  getCode,
  echo,
  createGate,
  makeTool,
  openSession,
  getOutcomeText,
  waitUntilSettled,
} from "../../support/kernel.ts";
import { createCountingTool, crash, openRecordedSession, send, testStore } from "../../support/ledger.ts";

afterEach(() => vi.useRealTimers());

describe("opening a run", () => {
  test("cannot resume without a store", async () => {
    await expect(openSession({ open: { resume: true } })).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
  });

  test("does not wait if nothing waits", async () => {
    const store = testStore();
    await expect(openSession({ store, open: { takeOver: true } })).rejects.toMatchObject({
      code: "INVALID_OPTIONS",
    });
  });

  test("limits the wait for a store, and closes a late run", async () => {
    const store = testStore();
    const { tool } = createCountingTool();
    const first = await openRecordedSession(store, { tools: [tool] });
    await first.call(send("a", "x"));
    await first.close();
    store.opening = "hangs";
    vi.useFakeTimers();
    const refused = openRecordedSession(store, { tools: [tool] }, true).catch((thrown: unknown) => thrown);
    await vi.advanceTimersByTimeAsync(31_000);
    expect(await refused).toMatchObject({ code: "LEDGER_UNAVAILABLE" });
    vi.useRealTimers();
    store.opening = undefined;
    store.release();
    await waitUntilSettled();
    const second = await openRecordedSession(store, { tools: [tool] }, true);
    expect(second.run).toMatchObject({ epoch: 3 });
    await second.close();
  });

  test("fails for a held run, a missing run and a failing store", async () => {
    const store = testStore();
    const { tool } = createCountingTool();
    const first = await openRecordedSession(store, { tools: [tool] });
    await first.call(send("a", "x"));
    await expect(openRecordedSession(store, { tools: [tool] }, true)).rejects.toMatchObject({
      code: "SESSION_HELD",
    });
    await expect(openRecordedSession(store, { tools: [tool] }, "none")).rejects.toMatchObject({
      code: "RUN_NOT_FOUND",
    });
    store.opening = "rejects";
    await expect(openRecordedSession(store, { tools: [tool] }, true)).rejects.toMatchObject({
      code: "LEDGER_UNAVAILABLE",
    });
    store.opening = undefined;
    await first.close();
  });

  test("waits for a takeover until the run is released or the signal aborts", async () => {
    const store = testStore();
    const { tool } = createCountingTool();
    const first = await openRecordedSession(store, { tools: [tool] });
    await first.call(send("a", "x"));
    const signal = AbortSignal.abort(new Error("enough"));
    const options = { sessionKey: "s", resume: true as const, takeOver: true };
    await expect(openSession({ store, open: { ...options, signal } })).rejects.toThrow("enough");
    const second = openSession({ tools: [tool], store, open: options });
    await first.close();
    expect((await second).run).toEqual({ runId: first.run!.runId, epoch: 2 });
    await (await second).close();
  });

  test("knows no earlier calls without `resume`, under the same key", async () => {
    const store = testStore();
    const { tool, runs } = createCountingTool();
    for (let i = 0; i < 2; i++) {
      const session = await openRecordedSession(store, { tools: [tool] });
      expect(session.ledger()).toEqual([]);
      expect(getCode(await session.call(send("a", "x")))).toBe("ok");
      await session.close();
    }
    expect(runs).toEqual(["a", "a"]);
    expect((await store.runs({ sessionKey: "s" })).items).toHaveLength(2);
  });
});

describe("earlier calls", () => {
  test("are known without arguments and results, which are read on demand", async () => {
    const store = testStore();
    const { tool } = createCountingTool();
    const before = await openRecordedSession(store, { tools: [tool], record: "full" });
    await before.call(send("a", "x"));
    await before.close();
    const session = await openRecordedSession(store, { tools: [tool] }, true);
    expect(session.ledger()).toMatchObject([
      {
        toolCallId: "a",
        toolName: "send",
        status: "completed",
        args: { elided: true },
        result: { elided: true },
      },
    ]);
    expect(await session.findRecord("a")).toMatchObject({
      args: { value: "x" },
      result: { content: [{ text: "sent x" }] },
    });
    expect(await session.findRecord("nothing")).toBeUndefined();
    await session.close();
  });

  test("are not sent again if they were sent", async () => {
    const store = testStore();
    const { tool, runs } = createCountingTool();
    const before = await openRecordedSession(store, { tools: [tool] });
    await before.call(send("a", "x"));
    await before.close();
    const session = await openRecordedSession(store, { tools: [tool] }, true);
    const again = await session.call(send("other", "x"));
    expect(again).toMatchObject({ code: "DUPLICATE_CALL", details: { duplicateOf: "a" } });
    expect(await session.explain("send", { value: "x" })).toMatchObject({
      reason: expect.stringContaining("already succeeded") as string,
    });
    expect(runs).toEqual(["a"]);
    await session.close();
  });

  test("count for a loop until the user speaks", async () => {
    const store = testStore();
    const readTool = echo("look", { effects: ["read"] });
    const before = await openRecordedSession(store, { tools: [readTool], loopGuard: { breaker: 5 } });
    for (let i = 0; i < 6; i++) await before.call(send(undefined, "x", "look"));
    await before.close();
    const session = await openRecordedSession(store, { tools: [readTool], loopGuard: { breaker: 5 } }, true);
    expect(getCode(await session.call(send(undefined, "x", "look")))).toBe("LOOP_REPEAT");
    session.resetLoopGuard();
    expect(getCode(await session.call(send(undefined, "x", "look")))).toBe("ok");
    await session.close();
  });

  test("failed with unknown effects if they ran when the process died, and can be repeated", async () => {
    const store = testStore();
    const { tool, runs } = createCountingTool();
    const deaf = makeTool("deaf", { effects: ["write"], execute: () => createGate<never>().promise });
    const before = await openRecordedSession(store, { tools: [tool, deaf] });
    void before.call({ id: "lost", name: "deaf" });
    await waitUntilSettled();
    await crash(store);
    const session = await openRecordedSession(store, { tools: [tool, deaf] }, true);
    expect(session.ledger()).toMatchObject([
      { toolCallId: "lost", status: "failed", code: "INTERRUPTED", receipt: "unknown" },
    ]);
    const again = await session.call({ id: "lost", name: "deaf" });
    expect(again).toMatchObject({ kind: "error", code: "INTERRUPTED", receipt: "unknown", replayed: true });
    expect(getOutcomeText(again)).toContain("check before you repeat it");
    expect(runs).toEqual([]);
    await session.close();
  });
});

describe("a lost lease", () => {
  test("ends running calls with the true outcome, and all later calls", async () => {
    const store = testStore();
    const { tool, runs } = createCountingTool();
    const slow = makeTool("slow", { effects: ["write"], execute: () => createGate<never>().promise });
    const session = await openRecordedSession(store, { tools: [tool, slow] });
    const running = session.call({ id: "a", name: "slow" });
    await waitUntilSettled();
    store.loseLeases();
    const outcome = await running;
    expect(outcome).toMatchObject({ kind: "error", code: "SESSION_LEASE_LOST", receipt: "unknown" });
    expect(getOutcomeText(outcome)).toContain("finds the call as a conflict or as interrupted.");
    expect(await session.call(send("b", "x"))).toMatchObject({ code: "SESSION_LEASE_LOST", receipt: "none" });
    expect(runs).toEqual([]);
    expect(await store.all()).toMatchObject([{ toolCallId: "a", status: "executing" }]);
    await session.close();
  });

  test("ends calls even if only the last check before the effect finds it", async () => {
    const store = testStore();
    const { tool, runs } = createCountingTool("save", { effects: ["write"] });
    const session = await openRecordedSession(store, { tools: [tool, echo("look", { effects: ["read"] })] });
    await session.call(send("a", "x", "save"));
    const { lease } = store.opened[0]!;
    const check = () => {
      throw Object.assign(new Error("never"), {});
    };
    Object.assign(lease, { check });
    expect(getCode(await session.call(send("b", "y", "save")))).toBe("LEDGER_UNAVAILABLE");
    expect(getCode(await session.call(send("c", "y", "look")))).toBe("LEDGER_UNAVAILABLE");
    expect(runs).toEqual(["a"]);
    await session.close();
  });
});
