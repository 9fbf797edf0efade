import { describe, expect, onTestFinished, test } from "vitest";
import type { CallRecord, LedgerRun, LedgerStore, RunOpening } from "../../src/contract/ledger-port.ts";

/** What a session opens; every part can be replaced. */
export function anOpening(parts: Partial<RunOpening> = {}): RunOpening {
  return {
    sessionKey: "s",
    facts: { kind: "main", agentId: "main", model: "", messageChannel: "" },
    workspace: { place: "host", cwd: "/work" },
    mode: "plan",
    ...parts,
  };
}

/** A call that has ended well; every part can be replaced. */
export function aCall(seq: number, parts: Partial<CallRecord> = {}): CallRecord {
  return {
    seq,
    toolCallId: `call_${seq}`,
    epoch: 1,
    toolName: "write",
    status: "completed",
    createdAt: 1_000 + seq,
    startedAt: 2_000 + seq,
    endedAt: 3_000 + seq,
    outcome: "ok",
    receipt: "committed",
    args: { path: `file ${seq}`, nested: [{ "a.b": "ü\u0000\ud83d\ude00" }, null, 1.5, true] },
    argsDigest: `args-${seq}`,
    key: `key-${seq}`,
    fingerprint: `result-${seq}`,
    changes: true,
    plan: { subjects: { paths: [{ path: `/work/dir/file ${seq}`, relative: "x", access: "write" }] } },
    result: { bytes: 12, sha256: "00", head: "done" },
    ...parts,
  };
}

/** What every store of ledgers does, whatever it is made of. */
export function ledgerStoreContract(name: string, make: () => LedgerStore | Promise<LedgerStore>): void {
  async function open(): Promise<LedgerStore> {
    const store = await make();
    onTestFinished(() => store.close());
    return store;
  }

  /** A run that nobody has any more. */
  async function closedRun(store: LedgerStore, calls: readonly CallRecord[], parts?: Partial<RunOpening>) {
    const run = await store.open(anOpening(parts));
    await run.write(calls);
    await run.close();
    return run.record.runId;
  }

  const code = (expected: string) => expect.objectContaining({ code: expected }) as Error;

  describe(`a ledger ${name}: runs`, () => {
    test("one that is named and is not there, or is another session's or agent's, is not continued", async () => {
      const store = await open();
      const runId = await closedRun(store, []);
      const refused = code("RUN_NOT_FOUND");
      await expect(store.open(anOpening({ resume: "nothing" }))).rejects.toEqual(refused);
      await expect(store.open(anOpening({ resume: runId, sessionKey: "t" }))).rejects.toEqual(refused);
      const facts = { ...anOpening().facts, agentId: "other" };
      await expect(store.open(anOpening({ resume: runId, facts }))).rejects.toEqual(refused);
      expect(await store.run(runId)).toMatchObject({ epoch: 1 });
    });

    test("one that is held is refused, with who has it; and left to whoever has it", async () => {
      const store = await open();
      const run = await store.open(anOpening());
      const { runId } = run.record;
      await expect(store.open(anOpening({ resume: runId }))).rejects.toEqual(code("SESSION_HELD"));
      await expect(store.open(anOpening({ resume: true }))).rejects.toMatchObject({
        details: { runId, heldBy: { pid: process.pid } },
      });
      run.lease.check();
      await run.write([aCall(1)]);
    });

    test("waiting for one ends with its signal", async () => {
      const store = await open();
      const run = await store.open(anOpening());
      const controller = new AbortController();
      const waiting = store.open(anOpening({ resume: true, takeOver: true, signal: controller.signal }));
      controller.abort(new Error("enough"));
      await expect(waiting).rejects.toThrow("enough");
      run.lease.check();
    });

    test("one that is let go goes to one of those that wait for it", async () => {
      const store = await open();
      const first = await store.open(anOpening());
      await first.write([aCall(1)]);
      const wait = () => store.open(anOpening({ resume: true, takeOver: true }));
      const waiting = [wait(), wait()];
      await first.close();
      const second = await Promise.race(waiting);
      expect(second.record).toMatchObject({ runId: first.record.runId, epoch: 2 });
      await second.write([aCall(2, { epoch: 2 })]);
      await second.close();
      const epochs = (await Promise.all(waiting)).map(({ record }) => record.epoch);
      expect(new Set(epochs)).toEqual(new Set([2, 3]));
    });

    test("without `resume` each opening is a run of its own, whose id sorts by its time", async () => {
      const store = await open();
      const ids: string[] = [];
      for (let i = 0; i < 5; i++) ids.push(await closedRun(store, []));
      expect(ids).toEqual([...new Set(ids)].toSorted());
      for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]+$/);
    });

    test("the latest of a session and agent is continued; where there is none, a new one begins", async () => {
      const store = await open();
      const before = await closedRun(store, []);
      const latest = await closedRun(store, [aCall(1)]);
      await closedRun(store, [], { sessionKey: "t" });
      const run = await store.open(anOpening({ resume: true, mode: "full" }));
      expect(run.record).toMatchObject({
        runId: latest,
        epoch: 2,
        mode: "full",
        heldBy: { pid: process.pid },
      });
      expect(run.record.closedAt).toBeUndefined();
      expect(await store.run(before)).toMatchObject({ epoch: 1, closedAt: expect.any(Number) as number });
      const other = await store.open(anOpening({ sessionKey: "u", resume: true }));
      expect(other.record).toMatchObject({ epoch: 1 });
      expect(other.past).toEqual([]);
    });

    test("what was left executing has failed for whoever continues, and what waits still waits", async () => {
      const store = await open();
      const executing = aCall(1, { status: "executing" });
      for (const name of ["endedAt", "outcome", "receipt", "result"] as const)
        delete (executing as never)[name];
      await closedRun(store, [executing, aCall(2, { status: "pending", argsWhole: true, approvalId: "a" })]);
      const run = await store.open(anOpening({ resume: true }));
      const failed = { status: "failed", outcome: "error", code: "INTERRUPTED", receipt: "unknown" };
      expect(run.past[0]).toMatchObject({ ...failed, toolCallId: "call_1" });
      expect(await run.read("call_1")).toMatchObject({ ...failed, args: aCall(1).args });
      expect(run.past[1]).toMatchObject({ status: "pending", approvalId: "a" });
    });
  });

  describe(`a ledger ${name}: calls`, () => {
    test("a holder of before writes nothing, and neither does one that let go", async () => {
      const store = await open();
      const first = await store.open(anOpening());
      await first.write([aCall(1)]);
      await first.close();
      expect(() => first.lease.check()).toThrow(code("SESSION_LEASE_LOST"));
      const second = await store.open(anOpening({ resume: true }));
      await expect(write(first, [aCall(1, { toolName: "stale" })])).rejects.toEqual(
        code("SESSION_LEASE_LOST"),
      );
      expect(() => first.lease.check()).toThrow(code("SESSION_LEASE_LOST"));
      second.lease.check();
      expect(await second.read("call_1")).toMatchObject({ toolName: "write" });
    });

    test("they come back as they were written, those of a resume without what is large", async () => {
      const store = await open();
      const calls = [aCall(1), aCall(2, { answeredAs: "x", toolCallId: "x#2" })];
      const runId = await closedRun(store, calls);
      expect(await store.call(runId, "call_1")).toEqual(calls[0]);
      expect(await store.call(runId, "nothing")).toBeUndefined();
      expect(await store.call("nothing", "call_1")).toBeUndefined();
      const run = await store.open(anOpening({ resume: true }));
      expect(run.past.map(({ toolCallId }) => toolCallId)).toEqual(["call_1", "x#2"]);
      expect(run.past[1]).toMatchObject({ answeredAs: "x", key: "key-2", fingerprint: "result-2" });
      for (const large of ["args", "plan", "result"]) expect(run.past[0]).not.toHaveProperty(large);
    });

    test("one that is written again takes the place of what was kept", async () => {
      const store = await open();
      const run = await store.open(anOpening());
      await run.write([aCall(1, { status: "pending", argsWhole: true })]);
      await run.write([aCall(2)]);
      const { result: _, ...ended } = aCall(1, { status: "failed" });
      await run.write([ended]);
      expect(await run.read("call_1")).toEqual(ended);
      const { items } = await store.calls({ runId: run.record.runId, order: "oldest" });
      expect(items.map(({ toolCallId }) => toolCallId)).toEqual(["call_1", "call_2"]);
    });

    test("what is changed afterwards is not changed in the store", async () => {
      const store = await open();
      const run = await store.open(anOpening());
      const call = aCall(1, { args: { list: [1] } });
      await run.write([call]);
      (call.args as { list: number[] }).list.push(2);
      const read = await run.read("call_1");
      expect(read?.args).toEqual({ list: [1] });
      (read!.args as { list: number[] }).list.push(3);
      expect((await run.read("call_1"))?.args).toEqual({ list: [1] });
    });

    test("of a batch that cannot be kept nothing is", async () => {
      const store = await open();
      const run = await store.open(anOpening());
      const bad = aCall(2, { args: unreadable() });
      await expect(write(run, [aCall(1), bad])).rejects.toThrow(/\S/);
      expect(await run.read("call_1")).toBeUndefined();
    });

    test("they are found by all there is to ask for, page by page and in either order", async () => {
      const store = await open();
      const calls = Array.from({ length: 25 }, (_, i) => aCall(i + 1, i % 5 === 0 ? FAILED : {}));
      const runId = await closedRun(store, calls);
      const other = await closedRun(store, [aCall(1)], { sessionKey: "t" });
      for (const order of ["newest", "oldest"] as const) {
        const found: string[] = [];
        let after: string | undefined;
        do {
          const page = await store.calls({ runId, limit: 10, order, ...(after !== undefined && { after }) });
          found.push(...page.items.map(({ toolCallId }) => toolCallId));
          after = page.next;
        } while (after !== undefined);
        const expected = calls.map(({ toolCallId }) => toolCallId);
        expect(found).toEqual(order === "oldest" ? expected : expected.toReversed());
      }
      const count = async (query: Parameters<LedgerStore["calls"]>[0]) =>
        (await store.calls(query)).items.length;
      expect(await count({})).toBe(26);
      expect(await count({ sessionKey: "t" })).toBe(1);
      expect((await store.calls({ sessionKey: "t" })).items[0]).toMatchObject({
        runId: other,
        sessionKey: "t",
      });
      expect(await count({ runId, toolName: "read" })).toBe(5);
      expect(await count({ runId, status: "failed" })).toBe(5);
      expect(await count({ runId, outcome: "blocked" })).toBe(5);
      expect(await count({ runId, since: 1_010, until: 1_012 })).toBe(2);
      expect(await count({ runId, path: "/work/dir" })).toBe(25);
      expect(await count({ runId, path: "/work/dir/file 1" })).toBe(1);
      expect(await count({ runId, path: "/work/di" })).toBe(0);
      expect(await count({ runId: "nothing" })).toBe(0);
      await expect(store.calls({ limit: 0 })).rejects.toEqual(code("INVALID_OPTIONS"));
      await expect(store.calls({ limit: 1_001 })).rejects.toEqual(code("INVALID_OPTIONS"));
      await expect(store.calls({ after: "nonsense" })).rejects.toEqual(code("INVALID_OPTIONS"));
    });

    test("runs are listed, the newest first", async () => {
      const store = await open();
      const ids = [await closedRun(store, []), await closedRun(store, []), await closedRun(store, [])];
      await closedRun(store, [], { sessionKey: "t" });
      const first = await store.runs({ sessionKey: "s", limit: 2 });
      expect(first.items.map(({ runId }) => runId)).toEqual([ids[2], ids[1]]);
      const rest = await store.runs({ sessionKey: "s", limit: 2, after: first.next! });
      expect(rest).toMatchObject({ items: [{ runId: ids[0] }] });
      expect(rest.next).toBeUndefined();
      expect((await store.runs()).items).toHaveLength(4);
    });

    test("runs are forgotten, but for what is held and what waits for a decision", async () => {
      const store = await open();
      const ended = await closedRun(store, [aCall(1), aCall(2)]);
      const waits = await closedRun(store, [aCall(1), aCall(2, { status: "pending", argsWhole: true })]);
      const held = await store.open(anOpening());
      await held.write([aCall(1)]);
      expect(await store.forget({ runId: "nothing" })).toBe(0);
      expect(await store.forget({ sessionKey: "s" })).toBe(3);
      expect(await store.run(ended)).toBeUndefined();
      expect(await store.call(ended, "call_1")).toBeUndefined();
      expect(await store.call(waits, "call_1")).toBeUndefined();
      expect(await store.call(waits, "call_2")).toMatchObject({ status: "pending" });
      expect(await held.read("call_1")).toBeDefined();
      expect(await store.forget({ before: 0 })).toBe(0);
    });

    test("a store that is closed keeps nothing more", async () => {
      const store = await make();
      const run = await store.open(anOpening());
      await store.close();
      await expect(write(run, [aCall(1)])).rejects.toThrow(/\S/);
      await expect(store.open(anOpening())).rejects.toEqual(code("LEDGER_UNAVAILABLE"));
    });
  });
}

const FAILED: Partial<CallRecord> = {
  toolName: "read",
  status: "failed",
  outcome: "blocked",
  code: "POLICY_DENIED",
};

function unreadable(): object {
  return {
    get of() {
      throw new Error("It cannot be read.");
    },
  };
}

/** Rejects also where a store throws at once. */
async function write(run: LedgerRun, calls: readonly CallRecord[]): Promise<void> {
  await run.write(calls);
}
