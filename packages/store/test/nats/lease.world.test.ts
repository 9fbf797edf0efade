import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { PATIENCE_MS } from "../../../../test/support/until.ts";
import {
  sampleCall,
  sampleExecutingCall,
  sampleOpening,
  WAITING_CALL,
  writeCalls,
} from "../../src/testing/ledger/samples.ts";
import { NATS_SERVER, startNats, type TestServer } from "./support/nats-server.ts";
import { startPausableProxy } from "./support/pausable-proxy.ts";
import {
  createManualClock,
  manualLeaseTimes,
  freshPrefix,
  waitForClockReads,
  openStore,
  NO_RENEWAL,
  openTestRun,
  TIMES,
} from "./support/two-stores.ts";

const lost = expect.objectContaining({ code: "SESSION_LEASE_LOST" }) as Error;

describe.skipIf(NATS_SERVER === undefined)("leases on a NATS server", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server.stop());

  test("replaces a silent holder and fails its executing calls", async () => {
    const prefix = freshPrefix();
    const first = await openStore(server, { prefix }, NO_RENEWAL);
    const clock = createManualClock();
    const second = await openStore(server, { prefix }, manualLeaseTimes(clock));
    const run = await first.ledger.open(sampleOpening());
    await writeCalls(run, [sampleCall(1), sampleExecutingCall(2), sampleCall(3, WAITING_CALL)]);
    const taking = openTestRun(second);
    await waitForClockReads(clock);
    clock.now += manualLeaseTimes(clock).takeMs;
    const taken = await taking;
    expect(taken.record).toMatchObject({ runId: run.record.runId, epoch: 2 });
    expect(taken.past).toMatchObject([
      { toolCallId: "call_1", status: "completed" },
      { toolCallId: "call_2", status: "failed", code: "INTERRUPTED", receipt: "unknown" },
      { toolCallId: "call_3", status: "pending" },
      { seq: 4, epoch: 2, status: "gap" },
    ]);
    await expect(writeCalls(run, [sampleCall(2)])).rejects.toEqual(lost);
    expect(run.lease.lost.aborted).toBe(true);
    expect(() => run.lease.check()).toThrow(lost);
    expect(await taken.read("call_2")).toMatchObject({ code: "INTERRUPTED", args: sampleCall(2).args });
  });

  test("does not take a renewed lease, for any wait", async () => {
    const prefix = freshPrefix();
    const first = await openStore(server, { prefix });
    const clock = createManualClock();
    const { takeMs } = manualLeaseTimes(clock);
    const second = await openStore(server, { prefix }, manualLeaseTimes(clock));
    const run = await first.ledger.open(sampleOpening());
    const controller = new AbortController();
    const waiting = openTestRun(second, { signal: controller.signal });
    await waitForClockReads(clock);
    for (let renewals = 0; renewals < 6; renewals++) {
      const { endsAt } = run.lease;
      await vi.waitFor(() => expect(run.lease.endsAt).not.toBe(endsAt), 30_000);
      // Where this renewal was not seen yet, naming the one before it is in conflict.
      clock.now += 0.75 * takeMs;
    }
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    run.lease.check();
    await writeCalls(run, [sampleCall(1)]);
  });

  test("a waiting host takes a closed run at once, without a gap record", async () => {
    const prefix = freshPrefix();
    const first = await openStore(server, { prefix });
    const second = await openStore(server, { prefix }, { takeMs: 1_000_000 });
    const run = await first.ledger.open(sampleOpening());
    await writeCalls(run, [sampleCall(1)]);
    const waiting = openTestRun(second);
    await run.close();
    const taken = await waiting;
    expect(taken.past.map(({ status }) => status)).toEqual(["completed"]);
    expect(() => run.lease.check()).toThrow(lost);
  });

  test("a holder stops by its own clock, and continues if no other host took the run", async () => {
    const prefix = freshPrefix();
    const clock = createManualClock();
    const store = await openStore(server, { prefix }, { clock: clock.read });
    const run = await store.ledger.open(sampleOpening());
    const ends = run.lease.endsAt;
    expect(ends).toBe(clock.now + TIMES.holdMs);
    run.lease.check();
    // It slept: no timer ran, and time went on. (Set before any timer can run.)
    clock.now = ends;
    expect(() => run.lease.check()).toThrow(lost);
    expect(run.lease.lost.aborted).toBe(false);
    await vi.waitFor(() => run.lease.check(), PATIENCE_MS);
    await writeCalls(run, [sampleCall(1)]);
  });

  test("works with clocks that differ by hours, since each host uses only its own", async () => {
    const prefix = freshPrefix();
    const ahead = createManualClock(9_000_000_000);
    const first = await openStore(server, { prefix }, { ...NO_RENEWAL, clock: ahead.read });
    const behind = createManualClock(5);
    const { takeMs } = manualLeaseTimes(behind);
    const second = await openStore(server, { prefix }, manualLeaseTimes(behind));
    const run = await first.ledger.open(sampleOpening());
    expect(run.lease.endsAt).toBe(ahead.now + TIMES.holdMs);
    let isTaken = false;
    const waiting = openTestRun(second).finally(() => (isTaken = true));
    await waitForClockReads(behind);
    behind.now += takeMs - 1;
    await waitForClockReads(behind);
    expect(isTaken).toBe(false);
    behind.now += 1;
    expect((await waiting).record.epoch).toBe(2);
  });

  test("the next holder sees all writes of a holder that died during a write", async () => {
    const prefix = freshPrefix();
    const first = await openStore(server, { prefix }, NO_RENEWAL);
    const clock = createManualClock();
    const second = await openStore(server, { prefix }, manualLeaseTimes(clock));
    const run = await first.ledger.open(sampleOpening());
    const taking = openTestRun(second);
    await waitForClockReads(clock);
    const writing = Promise.allSettled(
      Array.from({ length: 50 }, (_, i) => writeCalls(run, [sampleExecutingCall(i + 1)])),
    );
    clock.now += manualLeaseTimes(clock).takeMs;
    const taken = await taking;
    const stored = (await writing).filter(({ status }) => status === "fulfilled").length;
    expect(taken.past.filter(({ code }) => code === "INTERRUPTED")).toHaveLength(stored);
  });

  test("of many waiting hosts, one takes the run", async () => {
    const prefix = freshPrefix();
    const clock = createManualClock();
    const first = await openStore(server, { prefix }, { ...manualLeaseTimes(clock), ...NO_RENEWAL });
    const run = await first.ledger.open(sampleOpening());
    const stores = await Promise.all(
      [1, 2, 3, 4].map(() => openStore(server, { prefix }, manualLeaseTimes(clock))),
    );
    const taking = stores.map(async (store) => {
      const taken = await openTestRun(store);
      await taken.close();
      return taken.record.epoch;
    });
    await waitForClockReads(clock);
    clock.now += manualLeaseTimes(clock).takeMs;
    const epochs = await Promise.all(taking);
    // Each has its own. One that came too late for the one it had written takes the next.
    expect(new Set(epochs).size).toBe(4);
    expect(Math.min(...epochs)).toBeGreaterThan(1);
    expect(() => run.lease.check()).toThrow(lost);
  });

  test("of many hosts that create a session at once, one succeeds", async () => {
    const prefix = freshPrefix();
    const stores = await Promise.all([1, 2, 3, 4].map(() => openStore(server, { prefix })));
    for (let round = 0; round < 10; round++) {
      const opening = sampleOpening({ sessionKey: `s${round}`, resume: true });
      const opened = await Promise.allSettled(stores.map((store) => store.ledger.open(opening)));
      const held = opened.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      expect(held.map(({ record }) => record.epoch)).toEqual([1]);
      for (const one of opened)
        if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "SESSION_HELD" });
      const { items } = await stores[0]!.ledger.runs({ sessionKey: `s${round}` });
      expect(items.map(({ runId }) => runId)).toEqual([held[0]!.record.runId]);
      await held[0]!.close();
    }
  });

  test("a holder gives up its lease before other hosts can learn that it is closed", async () => {
    const line = await startPausableProxy(server.port);
    onTestFinished(() => line.close());
    const prefix = freshPrefix();
    const first = await openStore({ url: line.url }, { prefix }, NO_RENEWAL);
    const run = await first.ledger.open(sampleOpening());
    line.pause();
    const closing = run.close().catch((thrown: unknown) => thrown);
    await vi.waitFor(() => expect(() => run.lease.check()).toThrow(lost), PATIENCE_MS);
    expect(run.lease.endsAt).toBe(0);
    line.resume();
    await closing;
  });
});
