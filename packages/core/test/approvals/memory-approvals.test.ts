import { describe, expect, test } from "vitest";
import { createMemoryApprovals } from "../../src/approvals/memory-approvals.ts";
import type { ApprovalAnswer, ApprovalStore } from "../../src/contract/approval-port.ts";
import { approvalStoreContract } from "../contract/approval-store.ts";
import { grant, openAsking, request, storeWith, waitingId } from "../support/approvals.ts";
import { codeOf, memoryLogger, said, settled, thrower, watch } from "../support/kernel.ts";

approvalStoreContract("in memory", createMemoryApprovals);

test("grants that were listed do not change under whoever looks at them", async () => {
  const store = createMemoryApprovals();
  await store.addGrant(grant());
  const [before] = await store.allGrants();
  await store.useGrant("g1");
  expect(before).toMatchObject({ used: 0 });
});

test("an answer that nobody waited for is used up once", async () => {
  const store = createMemoryApprovals();
  const controller = new AbortController();
  await store.addRequest(request());
  const answer: ApprovalAnswer = { decision: "allow-once" };
  void store.answered("a2b3c4d5", controller.signal);
  controller.abort();
  await store.answer("a2b3c4d5", answer);
  await expect(store.answer("a2b3c4d5", answer)).rejects.toMatchObject({ code: "APPROVAL_NOT_FOUND" });
  const taken = () => store.takeAnswer!({ approvalId: "a2b3c4d5" });
  expect([await taken(), await taken()]).toEqual([{ approvalId: "a2b3c4d5", answer }, undefined]);
});

type Opened = Awaited<ReturnType<typeof openAsking>>;

async function allow({ session, act }: Opened, value: string, given: ApprovalAnswer | "allow-always") {
  expect(codeOf(await act(value))).toBe("PENDING_APPROVAL");
  return session.resolveApproval(waitingId(session), given);
}

describe("a store that fails", () => {
  const methods = ["grants", "addGrant", "useGrant", "addRequest", "removeRequest", "answered"] as const;
  const ways: [string, () => unknown][] = [
    ["rejects", () => Promise.reject(new Error("disk full"))],
    ["throws at once", thrower(new Error("disk full"))],
    ["answers nonsense", () => Promise.resolve("yes" as never)],
    ["answers nothing", () => undefined],
  ];
  const cases = methods.flatMap((method) => ways.map(([way, fail]) => ({ method, way, fail })));

  test.for(cases)(
    "$method $way: the call waits, and is decided where it was asked",
    async ({ method, way, fail }) => {
      const logger = memoryLogger();
      const opened = await openAsking({ approvals: storeWith({ [method]: fail }), logger });
      const { ran, act } = opened;
      const outcome = await allow(opened, "a", "allow-always");
      expect(codeOf(outcome)).toBe("ok");
      expect(ran).toEqual(["a"]);
      const isForgotten = method === "grants" || (method === "addGrant" && !way.startsWith("answers"));
      if (isForgotten) expect(said(outcome)).toContain("could not be remembered");
      const counts = !isForgotten && method !== "useGrant" && method !== "addGrant";
      expect(codeOf(await act("a"))).toBe(counts ? "ok" : "PENDING_APPROVAL");
      if (!way.startsWith("answers")) {
        expect(logger.lines.join()).toMatch(/store of approvals failed|could not be remembered/);
      }
    },
  );

  test("is told of in every answer it may have changed, and to those who listen", async () => {
    const fail = () => Promise.reject(new Error("disk full."));
    const lookups = await openAsking({ approvals: storeWith({ grants: fail }), approvalMode: "deny" });
    const events = watch(lookups.session);
    expect(said(await lookups.act("a"))).toContain(
      "[Note: What was allowed before could not be looked up, so it does not count: disk full.]",
    );
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool-warning", code: "APPROVALS_UNREADABLE" }),
    );

    const requests = await openAsking({ approvals: storeWith({ addRequest: fail }) });
    const told = watch(requests.session);
    const pending = await requests.act("a");
    expect(pending.kind).toBe("pending");
    expect(said(pending)).toContain("Nobody elsewhere can decide about this call");
    expect(told.filter(({ type }) => type === "tool-warning")).toMatchObject([
      { code: "APPROVAL_NOT_STORED" },
    ]);
    // Here it still can be decided.
    expect(codeOf(await requests.session.resolveApproval(waitingId(requests.session), "allow-once"))).toBe(
      "ok",
    );
  });

  test("with records nobody can read says so where no other covers the call", async () => {
    const broken = { problem: () => "2 files were not used." };
    const { session, act } = await openAsking({ approvals: storeWith(broken) });
    expect(said(await act("a"))).toContain("[Note: 2 files were not used.]");
    const explanation = await session.explain("act", { value: "b" });
    expect(explanation.trace).toContainEqual(expect.objectContaining({ rule: "2 files were not used." }));
    await session.resolveApproval(waitingId(session), "allow-always");
    expect(said(await act("a"))).not.toContain("not used");
  });

  test("that never answers holds nothing for good: the call can be aborted, and the session closed", async () => {
    const never = () => new Promise<never>(() => {});
    const { session, ran, act } = await openAsking({ approvals: storeWith({ grants: never }) });
    const call = act("a", "1");
    await settled();
    session.abort("1");
    expect(await call).toMatchObject({ kind: "cancelled" });
    await session.close();
    expect(ran).toEqual([]);
  });

  test("with grants of others in it does not let their calls through", async () => {
    const { session, act } = await openAsking({ open: { sessionKey: "s" } });
    await act("a");
    const { offers } = session.pendingApprovals()[0]!;
    const key = offers[0]!.key;
    const wrong = [
      grant({ key, sessionKey: "other" }),
      grant({ key, agentId: "other" }),
      grant({ key, toolId: "t/other" }),
      grant({ key, kind: "program" }),
      grant({ key, expiresAt: Date.now() - 1 }),
    ];
    for (const known of wrong) {
      const approvals: ApprovalStore = storeWith({ grants: async () => [known], useGrant: async () => true });
      const other = await openAsking({ approvals, open: { sessionKey: "s" } });
      expect(codeOf(await other.act("a"))).toBe("PENDING_APPROVAL");
    }
    const right = storeWith({ grants: async () => [grant({ key })], useGrant: async () => true });
    expect(codeOf(await (await openAsking({ approvals: right, open: { sessionKey: "s" } })).act("a"))).toBe(
      "ok",
    );
  });
});
