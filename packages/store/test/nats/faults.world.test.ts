import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openNatsStore } from "../../src/nats/index.ts";
import { sampleCall, sampleOpening, writeCalls } from "../../src/testing/ledger/samples.ts";
import { NATS_SERVER, startNats, type TestServer } from "./support/nats-server.ts";
import { startPausableProxy } from "./support/pausable-proxy.ts";
import {
  createManualClock,
  manualLeaseTimes,
  waitForClockReads,
  openStore,
  openTestRun,
} from "./support/two-stores.ts";

const unavailable = (why: RegExp) =>
  expect.objectContaining({
    code: "LEDGER_UNAVAILABLE",
    message: expect.stringMatching(why) as string,
  }) as Error;

async function aServer(...options: Parameters<typeof startNats>): Promise<TestServer> {
  const server = await startNats(...options);
  onTestFinished(() => server.stop());
  return server;
}

describe.skipIf(NATS_SERVER === undefined)("a faulty NATS server", () => {
  test("opens no store if it is unreachable, and the error shows no password", async () => {
    const server = await startNats();
    await server.stop();
    const servers = server.url.replace("//", "//ada:hush-hush@");
    const thrown = await openNatsStore({ servers }).catch((error: unknown) => error as Error);
    expect(thrown).toMatchObject({ code: "NATS_FAILED" });
    expect((thrown as Error).message).not.toContain("hush");
  });

  test.each([
    [{ prefix: "a.b" }],
    [{ keep: { days: 0 } }],
    [{ keep: { bytes: Number.NaN } }],
    [{ replicas: 0 }],
    [{ servers: undefined as never }],
    [{ servers: [] }],
    [{ servers: ["nats://127.0.0.1:1", 5 as never] }],
    [{ credentialsFile: "/nowhere/at/all.creds" }],
    [{ nkeyFile: "/nowhere/at/all.nk" }],
  ])("receives nothing for the invalid options %j", async (options) => {
    await expect(openNatsStore({ servers: "nats://127.0.0.1:1", ...options })).rejects.toMatchObject({
      code: "INVALID_OPTIONS",
    });
  });

  test("is rejected without JetStream or with wrong credentials", async () => {
    const server = await aServer("authorization { user: ada, password: secret }", null);
    const servers = server.url;
    await expect(openNatsStore({ servers })).rejects.toMatchObject({ code: "NATS_FORBIDDEN" });
    await expect(openNatsStore({ servers, user: "ada", password: "wrong" })).rejects.toMatchObject({
      code: "NATS_FORBIDDEN",
    });
    await expect(openNatsStore({ servers, user: "ada", password: "secret" })).rejects.toMatchObject({
      code: "NATS_UNFIT",
    });
  });

  test("denies a subject: the error names it, and allowed operations continue", async () => {
    const users = `authorization { users: [ { user: ada, password: secret,
      permissions: { publish: { allow: [">"], deny: ["haft.ledger.>"] }, subscribe: ">" } } ] }`;
    const server = await aServer(users);
    const store = await openStore(server, { user: "ada", password: "secret" });
    const run = await store.ledger.open(sampleOpening());
    await expect(writeCalls(run, [sampleCall(1)])).rejects.toEqual(unavailable(/haft\.ledger\./));
    expect(await store.ledger.run(run.record.runId)).toMatchObject({ epoch: 1 });
  });

  test("is rejected with a stream of the same name that would lose data", async () => {
    const server = await aServer();
    const store = await openStore(server, { prefix: "other" });
    const { connect } = await import("@nats-io/transport-node");
    const { jetstreamManager } = await import("@nats-io/jetstream");
    const nc = await connect({ servers: server.url });
    const jsm = await jetstreamManager(nc);
    await jsm.streams.add({ name: "haft_ledger", subjects: ["haft.ledger.>"], max_age: 1e9 * 3600 });
    await nc.close();
    const thrown = openStore(server);
    await expect(thrown).rejects.toMatchObject({
      code: "NATS_UNFIT",
      message: expect.stringMatching(/max_age.*discard/s) as string,
    });
    // Nobody else is disturbed by that.
    await store.ledger.open(sampleOpening());
  });

  test("is killed and restarted: writes fail in between, and no stored call is lost", async () => {
    const server = await aServer();
    const store = await openStore(server);
    const run = await store.ledger.open(sampleOpening());
    for (let round = 0; round < 3; round++) {
      const first = 1 + round * 100;
      for (let seq = first; seq < first + 50; seq++) await writeCalls(run, [sampleCall(seq)]);
      await server.kill();
      await expect(writeCalls(run, [sampleCall(first + 50, { status: "executing" })])).rejects.toEqual(
        unavailable(/did not return|no answer|connection/),
      );
      run.lease.check();
      await server.start();
      await vi.waitFor(() => writeCalls(run, [sampleCall(first + 51)]), 60_000);
      for (let seq = first; seq < first + 50; seq++)
        expect(await run.read(`call_${seq}`)).toEqual(sampleCall(seq));
    }
    await run.close();
    const again = await openTestRun(store);
    expect(again.past.filter(({ status }) => status === "completed")).toHaveLength(153);
  });

  test("is paused: a late write undoes nothing", async () => {
    const server = await aServer();
    const store = await openStore(server);
    const run = await store.ledger.open(sampleOpening());
    await writeCalls(run, [sampleCall(1)]);
    await server.stall();
    await expect(writeCalls(run, [sampleCall(2, { status: "executing" })])).rejects.toEqual(
      unavailable(/no answer/),
    );
    server.resume();
    const refused = sampleCall(2, { status: "failed", code: "LEDGER_UNAVAILABLE" });
    await vi.waitFor(() => writeCalls(run, [refused]), 60_000);
    await run.close();
    const again = await openTestRun(store);
    expect(again.past.map(({ toolCallId, code }) => [toolCallId, code])).toEqual([
      ["call_1", undefined],
      ["call_2", "LEDGER_UNAVAILABLE"],
    ]);
  });

  test("loses the connection to one host, which stops in time; another host continues, and late writes are rejected", async () => {
    const server = await aServer();
    const line = await startPausableProxy(server.port);
    onTestFinished(() => line.close());
    const clock = createManualClock();
    const cut = await openStore(line, {}, manualLeaseTimes(clock));
    const other = await openStore(server, {}, manualLeaseTimes(clock));
    const run = await cut.ledger.open(sampleOpening());
    await writeCalls(run, [sampleCall(1)]);
    line.pause();
    const late = writeCalls(run, [sampleCall(2, { toolName: "late" })]).catch((thrown: unknown) => thrown);
    const taking = openTestRun(other);
    await waitForClockReads(clock);
    clock.now += manualLeaseTimes(clock).takeMs;
    const taken = await taking;
    // By then it has stopped by itself.
    expect(() => run.lease.check()).toThrow(/lease/);
    await writeCalls(taken, [sampleCall(3, { epoch: 2 })]);
    line.resume();
    expect(await late).toMatchObject({
      code: expect.stringMatching(/LEDGER_UNAVAILABLE|LEASE_LOST/) as string,
    });
    await vi.waitFor(async () => {
      await expect(writeCalls(run, [sampleCall(2, { toolName: "later" })])).rejects.toMatchObject({
        code: "SESSION_LEASE_LOST",
      });
    }, 60_000);
    await writeCalls(taken, [sampleCall(4, { epoch: 2 })]);
    await taken.close();
    const names = (await openTestRun(other)).past.map(({ toolName }) => toolName);
    expect(names).not.toContain("late");
    expect(names).not.toContain("later");
  });

  test("accepts only short messages: long records are split and come back complete", async () => {
    const server = await aServer("max_payload: 8192");
    const store = await openStore(server);
    const run = await store.ledger.open(sampleOpening());
    const long = sampleCall(1, { args: { text: "ü💡\n".repeat(20_000) } });
    const many = Array.from({ length: 200 }, (_, i) => sampleCall(i + 2));
    await writeCalls(run, [long]);
    await writeCalls(run, many);
    expect(await run.read("call_1")).toEqual(long);
    await run.close();
    const again = await openTestRun(store);
    expect(again.past).toHaveLength(201);
    expect(await again.read("call_1")).toEqual(long);
    const { items } = await store.ledger.calls({ runId: again.record.runId, path: "/work/dir/file 7" });
    expect(items).toEqual([expect.objectContaining({ toolCallId: "call_7" })]);
  });

  test("is full: writes fail with a fix, waiting calls remain, and space can be freed", async () => {
    const server = await aServer();
    const store = await openStore(server, { keep: { bytes: 1_000_000 } });
    const old = await store.ledger.open(sampleOpening({ sessionKey: "old" }));
    const text = "x".repeat(100_000);
    await writeCalls(old, [sampleCall(1, { status: "pending", argsWhole: true })]);
    for (let seq = 2; seq < 12; seq++) await writeCalls(old, [sampleCall(seq, { args: { text } })]);
    await old.close();
    const run = await store.ledger.open(sampleOpening());
    const fill = async () => {
      for (let seq = 1; seq < 100; seq++) await writeCalls(run, [sampleCall(seq, { args: { text } })]);
    };
    await expect(fill()).rejects.toEqual(unavailable(/full|no storage/));
    expect(await store.ledger.forget({ sessionKey: "old" })).toBe(10);
    await writeCalls(run, [sampleCall(100, { args: { text } })]);
    expect(await store.ledger.call(old.record.runId, "call_1")).toMatchObject({ status: "pending" });
  });
});
