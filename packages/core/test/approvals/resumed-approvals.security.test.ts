import { describe, expect, test } from "vitest";
import { createMemoryApprovals } from "../../src/approvals/memory-approvals.ts";
import type { ApprovalAnswer, ApprovalStore } from "../../src/contract/approval-port.ts";
import type { CallRecord } from "../../src/contract/ledger-port.ts";
import type { CallPlan } from "../../src/contract/plan.ts";
import {
  getCode,
  createTestPolicy,
  getOutcomeText,
  waitUntilSettled,
  watch,
  type TestSession,
} from "../support/kernel.ts";
import { createCountingTool, crash, openRecordedSession, send, testStore } from "../support/ledger.ts";

const ALLOW: ApprovalAnswer = { decision: "allow-once", by: "ada" };

/** A host whose calls of `save` are asked about, with a plan that may be another later. */
function host(parts: TestSession = {}) {
  const store = testStore();
  const approvals = createMemoryApprovals();
  const planned: { plan: CallPlan } = { plan: { facts: { "program save": "1", folder: ":" } } };
  const { tool, runs } = createCountingTool("save", { effects: ["write"], plan: async () => planned.plan });
  const policy = createTestPolicy({ call: () => "ask" });
  const setup: TestSession = { tools: [tool], policy, approvals, approvalMode: "pending", ...parts };
  return { store, approvals, setup, runs, planned };
}

type Host = ReturnType<typeof host>;

async function askAndDie({ store, setup }: Host): Promise<string> {
  const session = await openRecordedSession(store, setup);
  const outcome = await session.call(send("a", "x", "save"));
  if (outcome.kind !== "pending") throw new Error(getOutcomeText(outcome));
  // Without a word: what it waited for, nobody hears.
  await crash(store);
  return outcome.approvalId;
}

/** What came of the call after the resume; nothing while it waits. */
async function resume({ store, setup }: Host, parts: TestSession = {}) {
  const session = await openRecordedSession(store, { ...setup, ...parts }, true);
  const events = watch(session);
  await session.continued();
  await waitUntilSettled();
  const [end] = events.flatMap((event) => (event.type === "tool-end" ? [event.outcome] : []));
  return { session, end };
}

/** As another process has it: who waits in this one is not there. */
function elsewhere(approvals: ApprovalStore): ApprovalStore {
  return { ...bound(approvals), waitForAnswer: () => new Promise(() => {}) };
}

function bound(approvals: ApprovalStore): ApprovalStore {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(approvals)) as (keyof ApprovalStore)[];
  const methods = names.map((name) => [name, (approvals[name] as () => unknown).bind(approvals)]);
  return Object.fromEntries(methods) as ApprovalStore;
}

describe("an approval between two openings", () => {
  test.for([
    ["another program", { facts: { "program save": "2", folder: ":" } }, "program save"],
    ["another folder", { facts: { "program save": "1", folder: ":sub" } }, "folder"],
    ["one more file", { facts: { "program save": "1", folder: ":", "file Makefile": "1" } }, "file Makefile"],
    ["unknown earlier parts", {}, "program save"],
    [
      "another place behind its path",
      {
        facts: { "program save": "1", folder: ":" },
        subjects: { paths: [{ path: "/etc/x", relative: "x", access: "write" as const }] },
      },
      "paths",
    ],
  ] as [string, CallPlan, string][])(
    "does not cover %s, and the outcome names the difference",
    async ([, now, named]) => {
      const earlier = host({ approvals: createMemoryApprovals() });
      const approvals = earlier.setup.approvals!;
      earlier.setup.approvals = elsewhere(approvals);
      const approvalId = await askAndDie(earlier);
      await approvals.answer(approvalId, ALLOW);
      earlier.planned.plan = now;
      const { session, end } = await resume(earlier, { approvals });
      expect(getCode(end!)).toBe("APPROVAL_OUTDATED");
      expect(end).toMatchObject({ resumed: true, receipt: "none" });
      expect(getOutcomeText(end!)).toContain(named);
      expect(earlier.runs).toEqual([]);
      // Nor does it cover the same call made again, or any later one.
      expect((await session.call(send("b", "x", "save"))).kind).toBe("pending");
      await session.close();
    },
  );

  test("does not cover arguments that were changed in the ledger", async () => {
    const earlier = host();
    const approvals = earlier.setup.approvals!;
    earlier.setup.approvals = elsewhere(approvals);
    await approvals.answer(await askAndDie(earlier), ALLOW);
    const open = earlier.store.open.bind(earlier.store);
    earlier.store.open = async (opening) => {
      const run = await open(opening);
      const readIt = run.read.bind(run);
      const read = async (id: string): Promise<CallRecord | undefined> => {
        const record = await readIt(id);
        const evil = { value: "evil" };
        return record && { ...record, args: evil, received: { name: "save", arguments: evil } };
      };
      return Object.assign(run, { read });
    };
    const { session, end } = await resume(earlier, { approvals });
    expect(getCode(end!)).toBe("APPROVAL_OUTDATED");
    expect(getOutcomeText(end!)).toContain("arguments");
    expect(earlier.runs).toEqual([]);
    await session.close();
  });

  test("does not override rules that forbid the call", async () => {
    const earlier = host();
    const approvals = earlier.setup.approvals!;
    earlier.setup.approvals = elsewhere(approvals);
    await approvals.answer(await askAndDie(earlier), ALLOW);
    const policy = createTestPolicy({ call: () => "deny" });
    const { session, end } = await resume(earlier, { approvals, policy });
    expect(getCode(end!)).toBe("POLICY_DENIED");
    expect(earlier.runs).toEqual([]);
    await session.close();
  });

  test("denies the call even if the rules no longer ask", async () => {
    const earlier = host();
    const approvals = earlier.setup.approvals!;
    earlier.setup.approvals = elsewhere(approvals);
    await approvals.answer(await askAndDie(earlier), { decision: "deny" });
    const { session, end } = await resume(earlier, { approvals, policy: createTestPolicy() });
    expect(getCode(end!)).toBe("APPROVAL_DENIED");
    expect(earlier.runs).toEqual([]);
    await session.close();
  });

  test("is used up by a host that took it and died, so the call needs a new approval", async () => {
    const earlier = host();
    const approvals = earlier.setup.approvals!;
    earlier.setup.approvals = elsewhere(approvals);
    const approvalId = await askAndDie(earlier);
    await approvals.answer(approvalId, ALLOW);
    await approvals.takeAnswer!({ approvalId });
    const { session, end } = await resume(earlier, { approvals });
    expect(end).toBeUndefined();
    const [waiting] = session.pendingApprovals();
    expect(waiting).toMatchObject({ toolCallId: "a" });
    expect(waiting!.approvalId).not.toBe(approvalId);
    expect(earlier.runs).toEqual([]);
    expect(await session.resolveApproval(waiting!.approvalId, "allow-once")).toMatchObject({ kind: "ok" });
    expect(earlier.runs).toEqual(["a"]);
    await session.close();
  });

  test("is used once, by the repeated or the resumed call", async () => {
    const earlier = host();
    const approvals = earlier.setup.approvals!;
    earlier.setup.approvals = elsewhere(approvals);
    await approvals.answer(await askAndDie(earlier), ALLOW);
    const fresh = await openRecordedSession(earlier.store, { ...earlier.setup, approvals });
    expect((await fresh.call(send("b", "x", "save"))).kind).toBe("ok");
    expect((await fresh.call(send("c", "x", "save"))).kind).toBe("pending");
    await fresh.close();
    const [first] = (await earlier.store.runs({ sessionKey: "s" })).items.toReversed();
    const session = await openRecordedSession(earlier.store, { ...earlier.setup, approvals }, first!.runId);
    await session.continued();
    await waitUntilSettled();
    expect(earlier.runs).toEqual(["b"]);
    await session.close();
  });
});

describe("a request that expired before its run is resumed", () => {
  test("has ended and needs no answer", async () => {
    const earlier = host({ approvalTimeoutMs: 1 });
    const approvals = earlier.setup.approvals!;
    earlier.setup.approvals = elsewhere(approvals);
    const session = await openRecordedSession(earlier.store, {
      ...earlier.setup,
      approvalTimeoutMs: 1_000_000,
    });
    await session.call(send("a", "x", "save"));
    await crash(earlier.store);
    const find = approvals.find!.bind(approvals);
    approvals.find = async (id) => {
      const found = await find(id);
      return found && { ...found, state: "expired" };
    };
    const { session: later, end } = await resume(earlier, { approvals });
    expect(getCode(end!)).toBe("APPROVAL_TIMEOUT");
    expect(later.pendingApprovals()).toEqual([]);
    await later.close();
  });
});

test("withdraws a call that its caller saw cancelled when the session closes", async () => {
  const earlier = host({ approvalMode: "wait" });
  const session = await openRecordedSession(earlier.store, earlier.setup);
  const calling = session.call(send("a", "x", "save"));
  await waitUntilSettled();
  const { approvalId } = session.pendingApprovals()[0]!;
  await session.close();
  expect((await calling).kind).toBe("cancelled");
  const approvals = earlier.setup.approvals!;
  expect(await approvals.find!(approvalId)).toMatchObject({ state: "withdrawn" });
  await expect(approvals.answer(approvalId, ALLOW)).rejects.toMatchObject({
    details: { state: "withdrawn" },
  });
});
