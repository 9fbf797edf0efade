import { describe, expect, test } from "vitest";
import { createMemoryApprovals } from "../../src/approvals/memory-approvals.ts";
import type { ApprovalAnswer, ApprovalStore } from "../../src/contract/approval-port.ts";
import { approvalStoreContract } from "../contract/approval-store.ts";
import {
  createGrant,
  openAskingSession,
  createRequest,
  createStore,
  getWaitingId,
} from "../support/approvals.ts";
import {
  getCode,
  memoryLogger,
  getOutcomeText,
  waitUntilSettled,
  createThrower,
  watch,
} from "../support/kernel.ts";

approvalStoreContract("in memory", createMemoryApprovals);

test("returns listed grants as copies that do not change", async () => {
  const store = createMemoryApprovals();
  await store.addGrant(createGrant());
  const [before] = await store.allGrants();
  await store.useGrant("g1");
  expect(before).toMatchObject({ used: 0 });
});

test("uses up an answer that had no waiting process once", async () => {
  const store = createMemoryApprovals();
  const controller = new AbortController();
  await store.addRequest(createRequest());
  const answer: ApprovalAnswer = { decision: "allow-once" };
  void store.waitForAnswer("a2b3c4d5", controller.signal);
  controller.abort();
  await store.answer("a2b3c4d5", answer);
  await expect(store.answer("a2b3c4d5", answer)).rejects.toMatchObject({ code: "APPROVAL_NOT_FOUND" });
  const taken = () => store.takeAnswer!({ approvalId: "a2b3c4d5" });
  expect([await taken(), await taken()]).toEqual([{ approvalId: "a2b3c4d5", answer }, undefined]);
});

type Opened = Awaited<ReturnType<typeof openAskingSession>>;

async function allow({ session, act }: Opened, value: string, given: ApprovalAnswer | "allow-always") {
  expect(getCode(await act(value))).toBe("PENDING_APPROVAL");
  return session.resolveApproval(getWaitingId(session), given);
}

describe("a failing store", () => {
  const methods = ["grants", "addGrant", "useGrant", "addRequest", "removeRequest", "waitForAnswer"] as const;
  const ways: [string, () => unknown][] = [
    ["rejects", () => Promise.reject(new Error("disk full"))],
    ["throws at once", createThrower(new Error("disk full"))],
    ["answers nonsense", () => Promise.resolve("yes" as never)],
    ["answers nothing", () => undefined],
  ];
  const cases = methods.flatMap((method) => ways.map(([way, fail]) => ({ method, way, fail })));

  test.for(cases)(
    "leaves the call waiting for its own approver when $method $way",
    async ({ method, way, fail }) => {
      const logger = memoryLogger();
      const opened = await openAskingSession({ approvals: createStore({ [method]: fail }), logger });
      const { ran, act } = opened;
      const outcome = await allow(opened, "a", "allow-always");
      expect(getCode(outcome)).toBe("ok");
      expect(ran).toEqual(["a"]);
      const isForgotten = method === "grants" || (method === "addGrant" && !way.startsWith("answers"));
      if (isForgotten) expect(getOutcomeText(outcome)).toContain("could not be stored");
      const counts = !isForgotten && method !== "useGrant" && method !== "addGrant";
      expect(getCode(await act("a"))).toBe(counts ? "ok" : "PENDING_APPROVAL");
      if (!way.startsWith("answers")) {
        expect(logger.lines.join()).toMatch(/store of approvals failed|could not be stored/);
      }
    },
  );

  test("is reported in every affected outcome and to listeners", async () => {
    const fail = () => Promise.reject(new Error("disk full."));
    const lookups = await openAskingSession({
      approvals: createStore({ grants: fail }),
      approvalMode: "deny",
    });
    const events = watch(lookups.session);
    expect(getOutcomeText(await lookups.act("a"))).toContain(
      "[Note: Earlier grants could not be read, so they do not count: disk full.]",
    );
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool-warning", code: "APPROVALS_UNREADABLE" }),
    );

    const requests = await openAskingSession({ approvals: createStore({ addRequest: fail }) });
    const eventList = watch(requests.session);
    const pending = await requests.act("a");
    expect(pending.kind).toBe("pending");
    expect(getOutcomeText(pending)).toContain("Other processes cannot decide about this call");
    expect(eventList.filter(({ type }) => type === "tool-warning")).toMatchObject([
      { code: "APPROVAL_NOT_STORED" },
    ]);
    // Here it still can be decided.
    expect(
      getCode(await requests.session.resolveApproval(getWaitingId(requests.session), "allow-once")),
    ).toBe("ok");
  });

  test("is reported for unreadable records if no other grant covers the call", async () => {
    const broken = { problem: () => "2 files were not used." };
    const { session, act } = await openAskingSession({ approvals: createStore(broken) });
    expect(getOutcomeText(await act("a"))).toContain("[Note: 2 files were not used.]");
    const explanation = await session.explain("act", { value: "b" });
    expect(explanation.trace).toContainEqual(expect.objectContaining({ rule: "2 files were not used." }));
    await session.resolveApproval(getWaitingId(session), "allow-always");
    expect(getOutcomeText(await act("a"))).not.toContain("not used");
  });

  test("blocks neither aborts nor the end of the session if it never answers", async () => {
    const never = () => new Promise<never>(() => {});
    const { session, ran, act } = await openAskingSession({ approvals: createStore({ grants: never }) });
    const call = act("a", "1");
    await waitUntilSettled();
    session.abort("1");
    expect(await call).toMatchObject({ kind: "cancelled" });
    await session.close();
    expect(ran).toEqual([]);
  });

  test("does not allow calls by grants of others", async () => {
    const { session, act } = await openAskingSession({ open: { sessionKey: "s" } });
    await act("a");
    const { offers } = session.pendingApprovals()[0]!;
    const key = offers[0]!.key;
    const wrong = [
      createGrant({ key, sessionKey: "other" }),
      createGrant({ key, agentId: "other" }),
      createGrant({ key, toolId: "t/other" }),
      createGrant({ key, kind: "program" }),
      createGrant({ key, expiresAt: Date.now() - 1 }),
    ];
    for (const known of wrong) {
      const approvals: ApprovalStore = createStore({
        grants: async () => [known],
        useGrant: async () => true,
      });
      const other = await openAskingSession({ approvals, open: { sessionKey: "s" } });
      expect(getCode(await other.act("a"))).toBe("PENDING_APPROVAL");
    }
    const right = createStore({ grants: async () => [createGrant({ key })], useGrant: async () => true });
    expect(
      getCode(await (await openAskingSession({ approvals: right, open: { sessionKey: "s" } })).act("a")),
    ).toBe("ok");
  });
});
