import { describe, expect, test } from "vitest";
import { createMemoryApprovals } from "../../../src/approvals/memory-approvals.ts";
import type { ApprovalAnswer } from "../../../src/contract/approval-port.ts";
import {
  getCode,
  echo,
  createTestPolicy,
  getOutcomeText,
  waitUntilSettled,
  watch,
  type TestSession,
} from "../../support/kernel.ts";
import {
  createCountingTool,
  openRecordedSession,
  send,
  testStore,
  type TestStore,
} from "../../support/ledger.ts";

/** A host whose calls of `save` wait for approval, and what it keeps. */
function host(parts: TestSession = {}) {
  const store = testStore();
  const { tool, runs } = createCountingTool("save", { effects: ["write"] });
  const setup: TestSession = {
    tools: [tool, echo("look", { effects: ["read"] })],
    policy: createTestPolicy({ call: ({ name }) => (name === "save" ? "ask" : "allow") }),
    approvals: createMemoryApprovals(),
    approvalMode: "pending",
    ...parts,
  };
  return { store, setup, runs };
}

/** Asks, and is gone. Answers what somebody can be asked by. */
async function askAndLeave({ store, setup }: ReturnType<typeof host>, arguments_ = "x"): Promise<string> {
  const session = await openRecordedSession(store, setup);
  const outcome = await session.call(send("a", arguments_, "save"));
  if (outcome.kind !== "pending") throw new Error(getOutcomeText(outcome));
  await session.close();
  return outcome.approvalId;
}

/** How a call ended after the resume. */
async function resumed(store: TestStore, setup: TestSession) {
  const session = await openRecordedSession(store, setup, true);
  const events = watch(session);
  await session.continued();
  await waitUntilSettled();
  const ends = events.flatMap((event) => (event.type === "tool-end" ? [event.outcome] : []));
  return { session, ends };
}

const answers: [ApprovalAnswer["decision"], string, number][] = [
  ["allow-once", "ok", 1],
  ["deny", "APPROVAL_DENIED", 0],
];

describe("a call that waits at the end of its session", () => {
  test("is in the store completely before the approval request", async () => {
    const first = host();
    const session = await openRecordedSession(first.store, first.setup);
    session.subscribe((event) => {
      if (event.type === "approval-requested") expect(first.store.batches).toEqual([["a pending"]]);
    });
    await session.call(send("a", "x", "save"));
    const [request] = await first.setup.approvals!.requests();
    expect(request).toMatchObject({ toolCallId: "a", runId: session.run?.runId });
    await session.close();
  });

  test("is not shown for approval while it cannot be recorded", async () => {
    const first = host();
    first.store.writing = "rejects";
    const session = await openRecordedSession(first.store, first.setup);
    expect(getCode(await session.call(send("a", "x", "save")))).toBe("LEDGER_UNAVAILABLE");
    expect(await first.setup.approvals!.requests()).toEqual([]);
    expect(session.pendingApprovals()).toEqual([]);
    await session.close();
  });

  test.for(answers)("obeys an answer between the openings (%s) once", async ([decision, code, times]) => {
    const first = host();
    await first.setup.approvals!.answer(await askAndLeave(first), { decision, by: "ada" });
    const { session, ends } = await resumed(first.store, first.setup);
    expect(ends).toMatchObject([{ toolCallId: "a", resumed: true }]);
    expect(getCode(ends[0]!)).toBe(code);
    expect(first.runs).toHaveLength(times);
    expect(await session.findRecord("a")).toMatchObject({
      seq: 1,
      resumed: true,
      epoch: 2,
      decidedBy: "ada",
    });
    await session.close();
    const again = await resumed(first.store, first.setup);
    expect(again.ends).toEqual([]);
    expect(first.runs).toHaveLength(times);
    await again.session.close();
  });

  test("waits again under its id, and a redelivery and an answer reach it", async () => {
    const first = host();
    const approvalId = await askAndLeave(first);
    const { session, ends } = await resumed(first.store, first.setup);
    expect(ends).toEqual([]);
    expect(session.pendingApprovals()).toMatchObject([{ approvalId, toolCallId: "a" }]);
    expect(await session.call(send("a", "x", "save"))).toMatchObject({
      kind: "pending",
      approvalId,
      replayed: true,
    });
    expect(getCode(await session.call(send("b", "x", "save")))).toBe("APPROVAL_WAITING");
    expect(await session.resolveApproval(approvalId, "allow-once")).toMatchObject({
      kind: "ok",
      resumed: true,
    });
    expect(first.runs).toEqual(["a"]);
    const records = (await first.store.all()).map(({ toolCallId, status }) => `${toolCallId} ${status}`);
    expect(records[0]).toBe("a completed");
    await session.close();
  });

  test("does not run twice if the same call is made at once", async () => {
    const first = host();
    await first.setup.approvals!.answer(await askAndLeave(first), { decision: "allow-once" });
    const session = await openRecordedSession(first.store, first.setup, true);
    // Before what waited goes on.
    const same = await session.call(send("b", "x", "save"));
    await waitUntilSettled();
    expect(first.runs.filter((id) => id === "a")).toHaveLength(1);
    expect(["pending", "ok"]).toContain(same.kind);
    expect(first.runs.length + session.pendingApprovals().length).toBe(same.kind === "ok" ? 1 : 2);
    await session.close();
  });

  test("stays unchanged if the session closes before it continues", async () => {
    const first = host();
    await askAndLeave(first);
    const session = await openRecordedSession(first.store, first.setup, true);
    await session.close();
    expect(await first.store.all()).toMatchObject([{ toolCallId: "a", status: "pending", argsWhole: true }]);
  });

  test("stays for the next resume if it cannot be read", async () => {
    const first = host();
    const approvalId = await askAndLeave(first);
    const open = first.store.open.bind(first.store);
    first.store.open = async (opening) =>
      Object.assign(await open(opening), { read: () => Promise.reject(new Error("gone")) });
    const broken = await resumed(first.store, first.setup);
    expect(broken.session.pendingApprovals()).toEqual([]);
    const again = await broken.session.call(send("a", "x", "save"));
    expect(again).toMatchObject({ kind: "pending", approvalId, receipt: "none", replayed: true });
    await broken.session.close();
    first.store.open = open;
    const { session } = await resumed(first.store, first.setup);
    expect(session.pendingApprovals()).toMatchObject([{ approvalId }]);
    await session.close();
  });

  test.for(["wait", "pending"] as const)(
    "is not withdrawn by a host that loses its run (%s)",
    async (approvalMode) => {
      const first = host({ approvalMode });
      const session = await openRecordedSession(first.store, first.setup);
      const running = session.call(send("a", "x", "save"));
      await waitUntilSettled();
      first.store.loseLeases();
      expect((await running).kind).toBe("pending");
      expect(await first.setup.approvals!.requests()).toMatchObject([{ toolCallId: "a" }]);
      expect(await first.store.all()).toMatchObject([{ toolCallId: "a", status: "pending" }]);
      expect(getCode(await session.call(send("b", "y", "save")))).toBe("SESSION_LEASE_LOST");
      await session.close();
      expect(first.runs).toEqual([]);
    },
  );
});
