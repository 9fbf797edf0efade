import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
import { approvalStoreContract } from "../../../core/test/contract/approval-store.ts";
import { openNatsStore } from "../../src/nats/index.ts";
import { NATS_SERVER, startNats, type TestServer } from "./support/nats-server.ts";

describe.skipIf(NATS_SERVER === undefined)("with nats-server", () => {
  let server: TestServer;
  let stores = 0;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server.stop());

  approvalStoreContract("on a NATS server", async () => {
    stores += 1;
    const store = await openNatsStore({
      servers: server.url,
      prefix: `t${stores}`,
      keep: { bytes: 1_000_000 },
    });
    onTestFinished(() => store.close());
    return store.approvals;
  });
});
