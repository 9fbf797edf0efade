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

describe("opening", () => {
  test("without a store there is nothing to continue", async () => {
    await expect(openSession({ open: { resume: true } })).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
  });

  test("nothing to wait for is no waiting", async () => {
    const store = testStore();
    await expect(openSession({ store, open: { takeOver: true } })).rejects.toMatchObject({
      code: "INVALID_OPTIONS",
    });
  });

  test("a store that does not answer is not waited for for good, and what it has later is let go", async () => {
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

  test("a run that is held, or not there, or a store that is away, is an error and no session", async () => {
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

  test("taking over waits until the run is let go, or its signal ends that", async () => {
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

  test("without `resume` nothing is known of before, under the same key", async () => {
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

describe("what is known of before", () => {
  test("calls are there without arguments and results, which are read on demand", async () => {
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

  test("what was already sent is not sent again", async () => {
    const store = testStore();
    const { tool, runs } = createCountingTool();
    const before = await openRecordedSession(store, { tools: [tool] });
    await before.call(send("a", "x"));
    await before.close();
    const session = await openRecordedSession(store, { tools: [tool] }, true);
    const again = await session.call(send("other", "x"));
    expect(again).toMatchObject({ code: "DUPLICATE_CALL", details: { duplicateOf: "a" } });
    expect(await session.explain("send", { value: "x" })).toMatchObject({
      reason: expect.stringContaining("already made") as string,
    });
    expect(runs).toEqual(["a"]);
    await session.close();
  });

  test("a loop goes on where it was, until the user has spoken", async () => {
    const store = testStore();
    const look = echo("look", { effects: ["read"] });
    const before = await openRecordedSession(store, { tools: [look], loopGuard: { breaker: 5 } });
    for (let i = 0; i < 6; i++) await before.call(send(undefined, "x", "look"));
    await before.close();
    const session = await openRecordedSession(store, { tools: [look], loopGuard: { breaker: 5 } }, true);
    expect(getCode(await session.call(send(undefined, "x", "look")))).toBe("LOOP_REPEAT");
    session.resetLoopGuard();
    expect(getCode(await session.call(send(undefined, "x", "look")))).toBe("ok");
    await session.close();
  });

  test("what ran when its process died has failed with unknown effects, and may be made again", async () => {
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
    expect(getOutcomeText(again)).toContain("look before you repeat it");
    expect(runs).toEqual([]);
    await session.close();
  });
});

describe("a lease that is lost", () => {
  test("ends what runs, truthfully, and all that follows", async () => {
    const store = testStore();
    const { tool, runs } = createCountingTool();
    const slow = makeTool("slow", { effects: ["write"], execute: () => createGate<never>().promise });
    const session = await openRecordedSession(store, { tools: [tool, slow] });
    const running = session.call({ id: "a", name: "slow" });
    await waitUntilSettled();
    store.loseLeases();
    const outcome = await running;
    expect(outcome).toMatchObject({ kind: "error", code: "SESSION_LEASE_LOST", receipt: "unknown" });
    expect(getOutcomeText(outcome)).toContain("finds the call as a conflict, or as one that was cut off.");
    expect(await session.call(send("b", "x"))).toMatchObject({ code: "SESSION_LEASE_LOST", receipt: "none" });
    expect(runs).toEqual([]);
    expect(await store.all()).toMatchObject([{ toolCallId: "a", status: "executing" }]);
    await session.close();
  });

  test("that only the last look before the effect tells, does as well", async () => {
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
