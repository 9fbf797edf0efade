import type { CallQuery, LedgerStore } from "@haft/core/internal";
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import {
  sampleCall,
  createClosedRun,
  listCallIds,
  type LedgerCase,
  sampleOpening,
  REFUSED_CALL,
  expectRejection,
  WAITING_CALL,
  writeCalls,
} from "./samples.ts";

export const CALL_CASES: Readonly<Record<string, LedgerCase>> = {
  async "calls are read as written, and without large members when a run resumes"(store) {
    const calls = [sampleCall(1), sampleCall(2, { answeredAs: "x", toolCallId: "x#2" })];
    const runId = await createClosedRun(store, calls);
    deepEqual(await store.call(runId, "call_1"), calls[0]);
    equal(await store.call(runId, "nothing"), undefined);
    equal(await store.call("nothing", "call_1"), undefined);
    const { past } = await store.open(sampleOpening({ resume: true }));
    deepEqual(
      past.map(({ toolCallId }) => toolCallId),
      ["call_1", "x#2"],
    );
    const { answeredAs, key, fingerprint } = past[1]!;
    deepEqual([answeredAs, key, fingerprint], ["x", "key-2", "result-2"]);
    for (const large of ["args", "plan", "result"]) ok(!(large in past[0]!), `${large} is there`);
  },
  async "a repeated write replaces the stored call"(store) {
    const run = await store.open(sampleOpening());
    await run.write([
      sampleCall(1, { ...WAITING_CALL, result: { bytes: 1, sha256: "", head: "x".repeat(10_000) } }),
    ]);
    await run.write([sampleCall(2)]);
    const { result: _, ...ended } = sampleCall(1, { status: "failed" });
    await run.write([ended]);
    deepEqual(await run.read("call_1"), ended);
    const { runId } = run.record;
    deepEqual(await listCallIds(store, { runId, order: "oldest" }), ["call_1", "call_2"]);
  },
  async "later changes of an object do not change the stored call"(store) {
    const run = await store.open(sampleOpening());
    const args = { list: [1] };
    await run.write([sampleCall(1, { args })]);
    args.list.push(2);
    const read = await run.read("call_1");
    deepEqual(read?.args, { list: [1] });
    read.args.list.push(3);
    deepEqual((await run.read("call_1"))?.args, { list: [1] });
  },
  async "a batch that fails stores nothing"(store) {
    const run = await store.open(sampleOpening());
    await run.write([sampleCall(1, WAITING_CALL)]);
    await rejects(writeCalls(run, [sampleCall(1), sampleCall(2), sampleCall(3, { args: unreadable() })]));
    equal((await run.read("call_1"))?.status, "pending");
    equal(await run.read("call_2"), undefined);
    await run.write([sampleCall(1), sampleCall(2), sampleCall(3)]);
    deepEqual(await listCallIds(store, {}), ["call_3", "call_2", "call_1"]);
  },
  async "calls are found by their sequence numbers, combined with other filters"(store) {
    const other = await store.open(sampleOpening({ sessionKey: "another" }));
    await other.write(Array.from({ length: 10 }, (_, index) => sampleCall(index + 1)));
    const run = await store.open(sampleOpening());
    const { runId } = run.record;
    const calls = Array.from({ length: 25 }, (_, index) =>
      sampleCall(index + 1, index === 11 ? REFUSED_CALL : {}),
    );
    await run.write(calls);
    const at = (query: CallQuery) => listCallIds(store, { runId, order: "oldest", ...query });
    deepEqual(await at({ seqRange: [11, 13] }), ["call_11", "call_12", "call_13"]);
    deepEqual(await at({ seqRange: [11, 13], outcome: "ok" }), ["call_11", "call_13"]);
    deepEqual(await at({ seqRange: [24, 1_000], order: "newest" }), ["call_25", "call_24"]);
    deepEqual(await at({ seqRange: [26, 30_000_000] }), []);
    await expectRejection("INVALID_OPTIONS", () => store.calls({ seqRange: [1, 2] }));
    for (const invalid of [
      [0, 1],
      [1.5, 2],
    ] as const)
      await expectRejection("INVALID_OPTIONS", () => store.calls({ runId, seqRange: invalid }));
  },
  async "calls are found page by page, in either order, during other writes"(store) {
    const run = await store.open(sampleOpening());
    const ids = Array.from({ length: 25 }, (_, index) => `call_${index + 1}`);
    await run.write(ids.map((_, index) => sampleCall(index + 1, index % 5 === 0 ? REFUSED_CALL : {})));
    let seq = ids.length;
    const newest = await listCallIds(store, { limit: 10 }, () => writeCalls(run, [sampleCall(++seq)]));
    deepEqual(newest, ids.toReversed());
    const oldest = await listCallIds(store, { limit: 10, order: "oldest", until: 1_026 }, () =>
      writeCalls(run, [sampleCall(++seq)]),
    );
    deepEqual(oldest, ids);
  },
  async "calls are found by every filter"(store) {
    const calls = Array.from({ length: 25 }, (_, index) =>
      sampleCall(index + 1, index % 5 === 0 ? REFUSED_CALL : {}),
    );
    const runId = await createClosedRun(store, calls);
    const other = await createClosedRun(store, [sampleCall(1)], { sessionKey: "t" });
    const held = await store.open(sampleOpening({ sessionKey: "u" }));
    await held.write([sampleCall(1, WAITING_CALL), sampleCall(2, { plan: {} })]);
    const counts: [query: CallQuery, expected: number][] = [
      [{}, 28],
      [{ sessionKey: "t" }, 1],
      [{ sessionKey: "nobody" }, 0],
      [{ runId, sessionKey: "t" }, 0],
      [{ runId: "nothing" }, 0],
      [{ runId, toolName: "read" }, 5],
      [{ toolName: "nothing" }, 0],
      [{ status: "failed" }, 5],
      [{ runId, outcome: "blocked" }, 5],
      [{ status: "pending" }, 1],
      [{ status: "executing" }, 0],
      [{ status: "completed", outcome: "ok" }, 22],
      [{ runId, since: 1_010, until: 1_012 }, 2],
      [{ runId, path: "/work/dir" }, 25],
      [{ path: "/work/dir/" }, 27],
      [{ path: "/" }, 27],
      [{ path: "/work/dir/file 1" }, 3],
      [{ path: "/work/dir/file 1", status: "pending" }, 1],
      [{ runId, path: "/work/di" }, 0],
      [{ runId, path: "/work/dir/file 1", toolName: "read" }, 1],
    ];
    for (const [query, expected] of counts) equal(await count(store, query), expected, JSON.stringify(query));
    const [found] = (await store.calls({ sessionKey: "t" })).items;
    deepEqual([found?.runId, found?.sessionKey], [other, "t"]);
    for (const query of [{ limit: 0 }, { limit: 1_001 }, { limit: 1.5 }, { after: "nonsense" }])
      await expectRejection("INVALID_OPTIONS", () => store.calls(query));
  },
  async "calls are removed, except in held runs and if they wait for a decision"(store) {
    const ended = await createClosedRun(store, [sampleCall(1), sampleCall(2)]);
    const waits = await createClosedRun(store, [sampleCall(1), sampleCall(2, WAITING_CALL)]);
    const held = await store.open(sampleOpening());
    await held.write([sampleCall(1)]);
    equal(await store.forget({ runId: "nothing" }), 0);
    equal(await store.forget({ sessionKey: "s" }), 3);
    equal(await store.run(ended), undefined);
    equal(await store.call(ended, "call_1"), undefined);
    equal(await store.call(waits, "call_1"), undefined);
    equal((await store.call(waits, "call_2"))?.status, "pending");
    ok(await held.read("call_1"));
    equal(await store.forget({ before: 0 }), 0);
    equal(await count(store, { path: "/work" }), 2);
    await held.close();
    equal(await store.forget({ before: Date.now() + 60_000 }), 1);
  },
};

async function count(store: LedgerStore, query: CallQuery): Promise<number> {
  return (await store.calls(query)).items.length;
}

function unreadable(): object {
  return {
    get of() {
      throw new Error("It cannot be read.");
    },
  };
}
