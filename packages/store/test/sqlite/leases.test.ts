import { uptime } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import {
  sampleCall,
  sampleExecutingCall,
  sampleOpening,
  WAITING_CALL,
} from "../../src/testing/ledger/samples.ts";
import { openTestStore, temporaryDatabase } from "../support/temporary-store.ts";
import { crashImage, updateHolders } from "./support/crash-image.ts";

const resume = sampleOpening({ resume: true });
const code = (expected: string) => expect.objectContaining({ code: expected }) as Error;

test("opening a file settles the runs of dead processes only", async () => {
  const path = temporaryDatabase();
  const run = await openTestStore(path).ledger.open(sampleOpening());
  await run.write([sampleExecutingCall(1), sampleCall(2, WAITING_CALL), sampleCall(3)]);
  const image = crashImage(path);
  // It lives: its run is held.
  await expect(openTestStore(image).ledger.open(resume)).rejects.toEqual(code("SESSION_HELD"));
  const dead = crashImage(path, "dead");
  updateHolders(dead, { dead: true });
  const { ledger } = openTestStore(dead);
  const { items } = await ledger.calls({ order: "oldest" });
  expect(items.map(({ status }) => status)).toEqual(["failed", "pending", "completed", "gap"]);
  expect(items[0]).toMatchObject({ code: "INTERRUPTED", receipt: "unknown", args: sampleCall(1).args });
  expect(items[3]).toMatchObject({ seq: 4, epoch: 1 });
  const settled = await ledger.run(run.record.runId);
  expect([settled?.heldBy, settled?.closedAt]).toEqual([undefined, undefined]);
  // Once.
  expect((await openTestStore(dead).ledger.calls({})).items).toHaveLength(4);
  const next = await ledger.open(resume);
  expect(next.record.epoch).toBe(2);
  expect(next.past).toHaveLength(4);
});

test("a process with a reused pid or from an earlier boot is dead", async () => {
  for (const change of ["'$.started', 1", "'$.boot', 'another-boot/pid:[1]'"]) {
    const path = temporaryDatabase();
    const run = await openTestStore(path).ledger.open(sampleOpening());
    await run.write([sampleExecutingCall(1)]);
    const image = crashImage(path);
    const db = new DatabaseSync(image);
    db.exec(`UPDATE holders SET process = json_set(process, ${change})`);
    db.close();
    expect((await openTestStore(image).ledger.open(resume)).past[0]).toMatchObject({ code: "INTERRUPTED" });
  }
});

test("a suspended process keeps its run for 30 s after its last renewal, but stops 5 s earlier", async () => {
  const path = temporaryDatabase();
  const run = await openTestStore(path).ledger.open(sampleOpening());
  const left = run.lease.endsAt - uptime() * 1000;
  expect(left).toBeLessThanOrEqual(25_000);
  await run.write([sampleExecutingCall(1)]);
  updateHolders(path, { silentForMs: 20_000 });
  await expect(openTestStore(path).ledger.open(resume)).rejects.toEqual(code("SESSION_HELD"));
  updateHolders(path, { silentForMs: 10_000 });
  const other = openTestStore(path);
  const taken = await other.ledger.open(resume);
  expect(taken.past).toMatchObject([{ code: "INTERRUPTED", receipt: "unknown" }, { status: "gap" }]);
  taken.lease.check();
  // It wakes up, and says how its call ended: a conflict, which the later holder keeps.
  expect(() => run.write([sampleCall(1)])).toThrow(code("SESSION_LEASE_LOST"));
  expect(run.lease.lost.aborted).toBe(true);
  expect(() => run.lease.check()).toThrow(code("SESSION_LEASE_LOST"));
  expect(await taken.read("call_1")).toMatchObject({
    status: "failed",
    code: "SESSION_LEASE_LOST",
    receipt: "unknown",
    result: { head: "done" },
  });
});

test("late calls get sequence numbers when the run is free, and calls that had not started get none", async () => {
  const path = temporaryDatabase();
  const run = await openTestStore(path).ledger.open(sampleOpening());
  updateHolders(path, { silentForMs: 30_000 });
  const { ledger } = openTestStore(path);
  const taken = await ledger.open(resume);
  expect(() => run.write([sampleCall(1), sampleExecutingCall(2), sampleCall(3, WAITING_CALL)])).toThrow(
    code("SESSION_LEASE_LOST"),
  );
  await taken.write([sampleCall(2, { epoch: 2, toolCallId: "call_1" })]);
  await taken.close();
  const { items } = await ledger.calls({ order: "oldest" });
  const found = items.map(({ seq, toolCallId, code: why }) => [seq, toolCallId, why] as const);
  expect(found.toSorted(([a], [b]) => a - b)).toEqual([
    [1, "gap#1", undefined],
    [2, "call_1", undefined],
    [3, "call_1#late3", "SESSION_LEASE_LOST"],
  ]);
});

test("near the end of its lease, a holder checks the file and continues if its run was not taken", async () => {
  const path = temporaryDatabase();
  const { ledger } = openTestStore(path);
  const run = await ledger.open(sampleOpening());
  updateHolders(path, { silentForMs: 60_000 });
  // Opening another one renews the lease of both.
  await ledger.open(sampleOpening());
  run.lease.check();
  await run.write([sampleCall(1)]);
  expect(run.lease.lost.aborted).toBe(false);
});

test("a waiting process takes the run of a silent holder, which loses only this run", async () => {
  const path = temporaryDatabase();
  const { ledger } = openTestStore(path);
  const [first, second] = [
    await ledger.open(sampleOpening()),
    await ledger.open(sampleOpening({ sessionKey: "t" })),
  ];
  const waiting = openTestStore(path).ledger.open(sampleOpening({ resume: true, takeOver: true }));
  updateHolders(path, { silentForMs: 30_000 });
  expect((await waiting).record).toMatchObject({ runId: first.record.runId, epoch: 2 });
  expect(() => first.write([sampleCall(1)])).toThrow(code("SESSION_LEASE_LOST"));
  await second.write([sampleCall(1)]);
  second.lease.check();
});
