import { afterAll, beforeAll, describe, expect, test } from "vitest";
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

  const approvals = testApprovalStore(async () => {
    const prefix = freshPrefix();
    const [store, other] = [await openStore(server, { prefix }), await openStore(server, { prefix })];
    return { store: store.approvals, other: other.approvals };
  });
  test.for(approvals)("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
