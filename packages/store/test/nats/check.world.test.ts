import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampleGrant, sampleRequest } from "../../src/testing/approvals/samples.ts";
import {
  sampleCall,
  sampleExecutingCall,
  sampleOpening,
  WAITING_CALL,
  writeCalls,
} from "../../src/testing/ledger/samples.ts";
import { NATS_SERVER, startNats, type TestServer } from "./support/nats-server.ts";
import { connectRawClient } from "./support/raw-client.ts";
import { freshPrefix, openStore, NO_RENEWAL, openTestRun } from "./support/two-stores.ts";

describe.skipIf(NATS_SERVER === undefined)("the check of a NATS store", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server.stop());

  async function aStore() {
    const prefix = freshPrefix();
    const store = await openStore(server, { prefix });
    const run = await store.ledger.open(sampleOpening());
    await writeCalls(run, [sampleCall(1), sampleCall(2, WAITING_CALL)]);
    for (const seq of [3, 4, 5]) await writeCalls(run, [sampleCall(seq)]);
    return { prefix, store, run, ...(await connectRawClient(server)) };
  }

  test("finds nothing while runs are held, after a trim, and after a dead holder was replaced", async () => {
    const { store, run, prefix } = await aStore();
    expect(await store.check()).toEqual([]);
    await run.close();
    // What waits stays, and nothing is missing for that.
    expect(await store.ledger.forget({ sessionKey: "s" })).toBe(4);
    expect(await store.check()).toEqual([]);
    const again = await openTestRun(store);
    await writeCalls(again, [sampleCall(6, { epoch: 2 }), sampleExecutingCall(7, { epoch: 2 })]);
    await again.close();
    expect(await store.check()).toEqual([]);
    const dead = await openStore(server, { prefix }, NO_RENEWAL);
    await writeCalls(await openTestRun(dead), [sampleExecutingCall(8, { epoch: 3 })]);
    expect(await store.check()).toEqual([]);
  });

  test("finds calls removed from the middle", async () => {
    const { store, run, prefix, jsm } = await aStore();
    const { state } = await jsm.streams.info(`${prefix}_ledger`);
    await jsm.streams.deleteMessage(`${prefix}_ledger`, state.last_seq - 1);
    expect(await store.check()).toEqual([
      {
        code: "STORE_INCOMPLETE",
        message: `Calls are missing from the middle of run ${run.record.runId}: 1 calls.`,
        fix: expect.stringContaining("yourself") as string,
      },
    ]);
  });

  test("finds calls without their run, and an invalid run hides no other problem", async () => {
    const { store, run, prefix, write: put, jsm } = await aStore();
    const other = await store.ledger.open(sampleOpening({ sessionKey: "t" }));
    await writeCalls(other, [sampleCall(1)]);
    const { runId } = run.record;
    await jsm.streams.purge(`KV_${prefix}_runs`, { filter: `$KV.${prefix}_runs.*.${runId}` });
    await put(`${prefix}_runs`, "somebody.else", "{");
    const found = await store.check();
    expect(found.map(({ code }) => code)).toEqual(["STORE_INCOMPLETE", "STORE_CORRUPT"]);
    expect(found[0]!.message).toContain(runId);
    expect(found[1]!.message).toContain("somebody.else");
    expect((await store.ledger.runs()).items.map((one) => one.runId)).toEqual([other.record.runId]);
  });

  test("finds an unreadable message, which affects only its own run", async () => {
    const { store, run, js, jsm, prefix } = await aStore();
    const other = await store.ledger.open(sampleOpening({ sessionKey: "t" }));
    await writeCalls(other, [sampleCall(1)]);
    const { state } = await jsm.streams.info(`${prefix}_ledger`, { subjects_filter: ">" });
    const [subject] = Object.keys(state.subjects!).filter((one) => one.includes(run.record.runId));
    await js.publish(subject!, "nothing of ours");
    const found = await store.check();
    expect(found).toMatchObject([
      { code: "STORE_CORRUPT", fix: expect.stringContaining("hosts alone") as string },
    ]);
    await expect(store.ledger.call(run.record.runId, "call_1")).rejects.toMatchObject({
      code: "STORE_CORRUPT",
    });
    expect((await store.ledger.calls({ sessionKey: "t" })).items).toHaveLength(1);
  });

  test("finds unreadable approvals and a missing stream", async () => {
    const { store, prefix, write: put, jsm } = await aStore();
    await store.approvals.addRequest(sampleRequest("good1234"));
    await store.approvals.addGrant(sampleGrant("good1234"));
    expect(await store.check()).toEqual([]);
    await put(`${prefix}_approvals`, "grant.evil1234", "nothing of ours");
    expect(await store.check()).toMatchObject([
      { code: "STORE_CORRUPT", message: expect.stringContaining("grant.evil1234") as string },
    ]);
    await jsm.streams.delete(`${prefix}_ledger`);
    expect(await store.check()).toMatchObject([
      { code: "STORE_INCOMPLETE", message: expect.stringContaining(`${prefix}_ledger`) as string },
    ]);
    // Looking has made nothing.
    await expect(jsm.streams.info(`${prefix}_ledger`)).rejects.toThrow("not found");
  });

  test("reports an unreachable server", async () => {
    const separate = await startNats();
    const store = await openStore(separate);
    await separate.stop();
    const [problem, ...others] = await store.check();
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ code: "NATS_FAILED" });
  });
});
