import { deepEqual, equal, match, notEqual, rejects } from "node:assert/strict";
import {
  sampleCall,
  createClosedRun,
  sampleExecutingCall,
  type LedgerCase,
  sampleOpening,
  expectRejection,
  WAITING_CALL,
  writeCalls,
} from "./samples.ts";

export const RUN_CASES: Readonly<Record<string, LedgerCase>> = {
  async "a run that is missing or belongs to another session or agent is not continued"(store) {
    const runId = await createClosedRun(store, []);
    const refused = (parts: object) =>
      expectRejection("RUN_NOT_FOUND", () => store.open(sampleOpening(parts)));
    await refused({ resume: "nothing" });
    await refused({ resume: runId, sessionKey: "t" });
    await refused({ resume: runId, facts: { ...sampleOpening().facts, agentId: "other" } });
    equal((await store.run(runId))?.epoch, 1);
  },
  async "a held run is refused with its holder and stays with this holder"(store) {
    const run = await store.open(sampleOpening());
    const { runId } = run.record;
    await expectRejection("SESSION_HELD", () => store.open(sampleOpening({ resume: runId })));
    const { details } = await expectRejection("SESSION_HELD", () =>
      store.open(sampleOpening({ resume: true })),
    );
    equal(details?.["runId"], runId);
    equal((details?.["heldBy"] as { pid?: number } | undefined)?.pid, process.pid);
    run.lease.check();
    await run.write([sampleCall(1)]);
  },
  async "the signal ends the wait for a held run"(store) {
    const run = await store.open(sampleOpening());
    const controller = new AbortController();
    const waiting = store.open(sampleOpening({ resume: true, takeOver: true, signal: controller.signal }));
    controller.abort(new Error("enough"));
    await rejects(waiting, /enough/);
    run.lease.check();
    equal(run.lease.lost.aborted, false);
  },
  async "a closed run goes to one of the waiting openings"(store) {
    const first = await store.open(sampleOpening());
    await first.write([sampleCall(1)]);
    const wait = () => store.open(sampleOpening({ resume: true, takeOver: true }));
    const waiting = [wait(), wait()];
    await first.close();
    const second = await Promise.race(waiting);
    deepEqual([second.record.runId, second.record.epoch], [first.record.runId, 2]);
    await second.write([sampleCall(2, { epoch: 2 })]);
    await second.close();
    const epochs = (await Promise.all(waiting)).map(({ record }) => record.epoch);
    deepEqual(new Set(epochs), new Set([2, 3]));
  },
  async "without `resume` each opening creates a run whose id sorts by time"(store) {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await createClosedRun(store, []));
    deepEqual(ids, [...new Set(ids)].toSorted());
    for (const id of ids) match(id, /^[A-Za-z0-9]+$/);
  },
  async "a new run has the requested id, or another id if it is taken"(store) {
    const first = await store.open(sampleOpening({ runId: "0named000000000001" }));
    equal(first.record.runId, "0named000000000001");
    const second = await store.open(sampleOpening({ runId: "0named000000000001" }));
    notEqual(second.record.runId, first.record.runId);
    await second.close();
    await first.close();
  },
  async "the latest run of a session and agent is continued, or a new run begins"(store) {
    const before = await createClosedRun(store, []);
    const latest = await createClosedRun(store, [sampleCall(1)]);
    await createClosedRun(store, [], { sessionKey: "t" });
    const { record } = await store.open(sampleOpening({ resume: true, mode: "full" }));
    deepEqual([record.runId, record.epoch, record.mode], [latest, 2, "full"]);
    equal(record.heldBy?.pid, process.pid);
    equal(record.closedAt, undefined);
    const left = await store.run(before);
    deepEqual([left?.epoch, typeof left?.closedAt], [1, "number"]);
    const other = await store.open(sampleOpening({ sessionKey: "u", resume: true }));
    deepEqual([other.record.epoch, other.past], [1, []]);
  },
  async "the command line options of the latest opening are stored"(store) {
    const runId = await createClosedRun(store, [], { openedWith: ["--agent", "it's a"] });
    deepEqual((await store.run(runId))?.openedWith, ["--agent", "it's a"]);
    const other = await store.open(sampleOpening({ resume: true, openedWith: ["--agent", "b"] }));
    deepEqual(other.record.openedWith, ["--agent", "b"]);
    await other.close();
    const third = await store.open(sampleOpening({ resume: true }));
    deepEqual([third.record.runId, "openedWith" in third.record], [runId, false]);
  },
  async "after a continuation, executing calls have failed and waiting calls still wait"(store) {
    await createClosedRun(store, [sampleExecutingCall(1), sampleCall(2, WAITING_CALL)]);
    const run = await store.open(sampleOpening({ resume: true }));
    const { status, outcome, code, receipt } = run.past[0]!;
    deepEqual([status, outcome, code, receipt], ["failed", "error", "INTERRUPTED", "unknown"]);
    const read = await run.read("call_1");
    deepEqual([read?.status, read?.receipt, read?.args], ["failed", "unknown", sampleCall(1).args]);
    deepEqual([run.past[1]?.status, run.past[1]?.approvalId], ["pending", "a"]);
  },
  async "an earlier holder and a closed run cannot write"(store) {
    const first = await store.open(sampleOpening());
    await first.write([sampleCall(1)]);
    await first.close();
    await expectRejection("SESSION_LEASE_LOST", () => first.lease.check());
    const second = await store.open(sampleOpening({ resume: true }));
    await expectRejection("SESSION_LEASE_LOST", () =>
      writeCalls(first, [sampleCall(1, { toolName: "stale" })]),
    );
    await expectRejection("SESSION_LEASE_LOST", () =>
      writeCalls(first, [sampleCall(2, { toolName: "stale" })]),
    );
    second.lease.check();
    await second.write([sampleCall(2, { epoch: 2 })]);
    equal((await second.read("call_1"))?.toolName, "write");
    equal((await second.read("call_2"))?.toolName, "write");
  },
  async "runs are listed, newest first"(store) {
    const ids = [
      await createClosedRun(store, []),
      await createClosedRun(store, []),
      await createClosedRun(store, []),
    ];
    await createClosedRun(store, [], { sessionKey: "t" });
    const first = await store.runs({ sessionKey: "s", limit: 2 });
    deepEqual(
      first.items.map(({ runId }) => runId),
      [ids[2], ids[1]],
    );
    const rest = await store.runs({ sessionKey: "s", limit: 2, after: first.next! });
    deepEqual(
      rest.items.map(({ runId }) => runId),
      [ids[0]],
    );
    equal(rest.next, undefined);
    equal((await store.runs()).items.length, 4);
    await expectRejection("INVALID_OPTIONS", () => store.runs({ limit: 0 }));
  },
  async "a closed store rejects writes"(store) {
    const run = await store.open(sampleOpening());
    await store.close();
    await rejects(writeCalls(run, [sampleCall(1)]));
    await expectRejection("LEDGER_UNAVAILABLE", () => store.open(sampleOpening()));
  },
};
