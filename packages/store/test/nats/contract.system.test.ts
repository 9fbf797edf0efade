import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { sampleRequest } from "../../../core/test/support/approval-samples.ts";
import { testApprovalStore, testLedgerStore } from "../../src/testing/index.ts";
import { NATS_SERVER, startNats, type TestServer } from "./support/nats-server.ts";
import { freshPrefix, openStore } from "./support/two-stores.ts";

describe.skipIf(NATS_SERVER === undefined)("on a NATS server", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server.stop());

  const ledgers = testLedgerStore(async () => (await openStore(server, { prefix: freshPrefix() })).ledger);
  test.for(ledgers)("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  // Another host hears of a waiter a moment later, so the suite has one store, and the test below two.
  const approvals = testApprovalStore(async () => {
    const store = await openStore(server, { prefix: freshPrefix() });
    return { store: store.approvals, other: store.approvals };
  });
  test.for(approvals)("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  test("approvals: another host sees waiting requests, answers, and one of all takes the answer", async () => {
    const prefix = freshPrefix();
    const [{ approvals: here }, { approvals: there }] = await Promise.all([
      openStore(server, { prefix }),
      openStore(server, { prefix }),
    ]);
    await here.addRequest(sampleRequest("wait1234"));
    const answered = here.waitForAnswer("wait1234", new AbortController().signal);
    await vi.waitFor(async () => expect(await there.requests()).toMatchObject([{ attended: true }]), 30_000);
    await there.answer("wait1234", { decision: "deny", by: "ada" });
    expect(await answered).toEqual({ decision: "deny", by: "ada" });
    const taken = await Promise.all(
      [here, there, here, there].map((store) => store.takeAnswer!({ approvalId: "wait1234" })),
    );
    expect(taken.filter((one) => one !== undefined)).toHaveLength(1);
    expect(await there.awaitDelivery!("wait1234", 0)).toBe(true);
  });
});
