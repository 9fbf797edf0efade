import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { sampleCall, sampleOpening, writeCalls } from "../../src/testing/ledger/samples.ts";
import { NATS_SERVER, startNats, type TestServer } from "./support/nats-server.ts";
import { freshPrefix, openStore, NO_RENEWAL } from "./support/two-stores.ts";

const text = "x".repeat(50_000);

describe.skipIf(NATS_SERVER === undefined)("automatic removal by a NATS store", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server.stop());

  test("removes the oldest runs above the limit, but no waiting call and no held run", async () => {
    const prefix = freshPrefix();
    const first = await openStore(server, { prefix, keep: { bytes: 10_000_000 } });
    const ids: string[] = [];
    for (const session of ["a", "b", "c"]) {
      const run = await first.ledger.open(sampleOpening({ sessionKey: session }));
      ids.push(run.record.runId);
      await writeCalls(run, [sampleCall(1, { status: "pending", argsWhole: true })]);
      for (let seq = 2; seq < 12; seq++) await writeCalls(run, [sampleCall(seq, { args: { text } })]);
      if (session !== "b") await run.close();
    }
    await first.sweep();
    expect((await first.ledger.calls({})).items).toHaveLength(33);
    const second = await openStore(server, { prefix, keep: { bytes: 1_200_000 } });
    await second.sweep();
    const left = await Promise.all(ids.map((runId) => second.ledger.calls({ runId })));
    expect(left.map(({ items }) => items.length)).toEqual([1, 11, 11]);
    expect(left[0]!.items[0]).toMatchObject({ toolCallId: "call_1", status: "pending" });
  });

  test("settles executing calls of a dead host even if no host continues the run", async () => {
    const prefix = freshPrefix();
    const dead = await openStore(server, { prefix }, NO_RENEWAL);
    const run = await dead.ledger.open(sampleOpening());
    await writeCalls(run, [sampleCall(1, { status: "executing" })]);
    const living = await openStore(server, { prefix }, { holdMs: 600, takeMs: 900, sweepMs: 3_600_000 });
    await vi.waitFor(async () => {
      expect(await living.ledger.call(run.record.runId, "call_1")).toMatchObject({
        status: "failed",
        code: "INTERRUPTED",
        receipt: "unknown",
      });
    }, 60_000);
    const ended = await living.ledger.run(run.record.runId);
    expect(ended?.closedAt).toBeUndefined();
    expect(ended?.heldBy).toBeUndefined();
    await expect(writeCalls(run, [sampleCall(1)])).rejects.toMatchObject({ code: "SESSION_LEASE_LOST" });
  });
});
