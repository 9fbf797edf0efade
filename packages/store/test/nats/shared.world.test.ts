import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ProcessRecord } from "../../src/state-store.ts";
import { sampleRequest } from "../../src/testing/approvals/samples.ts";
import { sampleCall, sampleOpening, writeCalls } from "../../src/testing/ledger/samples.ts";
import { NATS_SERVER, startNats, type TestServer } from "./support/nats-server.ts";
import { connectRawClient } from "./support/raw-client.ts";
import { freshPrefix, openStore } from "./support/two-stores.ts";

function commandOf(id: string, startedAt = 1): ProcessRecord {
  const info = { id, pid: 7, command: "sleep 1", state: "running", startedAt } as ProcessRecord["info"];
  return { info, fate: "its host has ended" };
}

describe.skipIf(NATS_SERVER === undefined)("other shared data of hosts on a NATS server", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server.stop());

  const two = async () => {
    const prefix = freshPrefix();
    return { prefix, here: await openStore(server, { prefix }), there: await openStore(server, { prefix }) };
  };

  test("the first host notifies a target, and the others see the result", async () => {
    const { here, there } = await two();
    const [target, other] = ["ntfy.example.com", "a command with spaces, and *.>"];
    const began = await Promise.all(
      [here, there, here, there].map(async ({ notices }) => notices.begin("wait1234", target, 5)),
    );
    expect(began.filter(Boolean)).toHaveLength(1);
    expect(await here.notices.begin("wait1234", other, 6)).toBe(true);
    expect(await here.notices.begin("a.b >*", target, 7)).toBe(true);
    await there.notices.end("wait1234", target);
    await here.notices.end("wait1234", other, "x".repeat(5_000));
    // Of what nobody began there is nothing to say.
    await here.notices.end("else1234", target);
    const found = await there.notices.list(["wait1234", "nothing"]);
    expect(found).toHaveLength(2);
    expect(found).toContainEqual({ approvalId: "wait1234", target, at: 5, state: "told" });
    expect(found).toContainEqual({
      approvalId: "wait1234",
      target: other,
      at: 6,
      state: "failed",
      problem: "x".repeat(1_000),
    });
    expect(await here.notices.list(["a.b >*"])).toMatchObject([{ state: "telling" }]);
    await here.sweep();
    expect(await there.notices.list(["wait1234"])).toHaveLength(2);
  });

  test("stores commands of a run until the run is removed", async () => {
    const { here, there, prefix } = await two();
    const run = await here.ledger.open(sampleOpening());
    const { runId } = run.record;
    await writeCalls(run, [sampleCall(1)]);
    await run.close();
    await here.processes.put(runId, commandOf("late", 9));
    await here.processes.put(runId, commandOf("early", 2));
    await here.processes.put("other", commandOf("early", 2));
    await here.processes.put(runId, { ...commandOf("late", 9), fate: "it ended" });
    const { write: put } = await connectRawClient(server);
    await put(`${prefix}_runs`, `process.${runId}.evil`, "{");
    expect(await there.processes.list(runId)).toEqual([
      commandOf("early", 2),
      { ...commandOf("late", 9), fate: "it ended" },
    ]);
    await there.processes.remove(runId, "early");
    await there.processes.remove(runId, "nothing");
    expect(await here.processes.list(runId)).toHaveLength(1);
    // They are no runs.
    expect((await there.ledger.runs()).items).toHaveLength(1);
    expect(await here.check()).toEqual([]);
    await there.ledger.forget({ runId });
    expect(await here.processes.list(runId)).toEqual([]);
    expect(await here.processes.list("other")).toHaveLength(1);
  });

  test("limits the commands of a run and removes the oldest first", async () => {
    const { here, there } = await two();
    for (let at = 1; at <= 503; at++) await here.processes.put("run", commandOf(`c${at}`, at));
    const stored = await there.processes.list("run");
    expect(stored).toHaveLength(500);
    expect(stored[0]!.info.id).toBe("c4");
  });

  test("does not wait for data that other hosts remove during a read", async () => {
    const { here, there } = await two();
    const ids = Array.from({ length: 60 }, (_, index) => `wait${index + 1000}`);
    for (const id of ids) await there.approvals.addRequest(sampleRequest(id));
    const stays = ids.pop()!;
    const removal = Promise.all(ids.map((id) => there.approvals.removeRequest(id, "decided")));
    const flag = { gone: false };
    void removal.then(() => (flag.gone = true));
    let reads = 0;
    for (let isLast = false; !isLast; reads++) {
      isLast = flag.gone;
      const requests = await here.approvals.requests();
      expect(requests.map(({ approvalId }) => approvalId)).toContain(stays);
    }
    await removal;
    expect(await here.approvals.requests()).toHaveLength(1);
  });

  test("a closed store rejects new and running operations", async () => {
    const { here } = await two();
    const closed = { code: "LEDGER_UNAVAILABLE", cause: { code: "STORE_CLOSED" } };
    const reading = Array.from({ length: 20 }, () => here.ledger.runs().catch((thrown: unknown) => thrown));
    await here.close();
    for (const read of await Promise.all(reading))
      if (read instanceof Error) expect(read).toMatchObject(closed);
    await expect(here.ledger.runs()).rejects.toMatchObject(closed);
    await expect(here.approvals.requests()).rejects.toMatchObject(closed.cause);
  });
});
