import { expect, test } from "vitest";
import { createMemoryApprovals } from "../../src/approvals/memory-approvals.ts";
import { openAsking, until } from "../support/approvals.ts";
import { codeOf, eventTypes, watch } from "../support/kernel.ts";

async function released() {
  const approvals = createMemoryApprovals();
  const asking = await openAsking({ approvals });
  const events = watch(asking.session);
  const { approvalId } = (await asking.act("a", "1")) as { approvalId: string };
  expect(asking.session.releaseApproval(approvalId)).toBe(true);
  await until(() => eventTypes(events).includes("tool-end"));
  return { ...asking, approvals, approvalId };
}

test("a call that was let go is over, never runs, and its request waits on", async () => {
  const { session, ran, approvals, approvalId } = await released();
  expect(session.ledger()).toMatchObject([{ toolCallId: "1", status: "failed", receipt: "none" }]);
  expect(session.pendingApprovals()).toEqual([]);
  expect(await approvals.requests()).toMatchObject([{ approvalId, attended: false }]);
  await approvals.answer(approvalId, { decision: "allow-once" });
  expect(ran).toEqual([]);
});

test("the same call made again meets the answer, once", async () => {
  const { act, ran, approvals, approvalId } = await released();
  await approvals.answer(approvalId, { decision: "allow-once" });
  expect(codeOf(await act("b"))).toBe("PENDING_APPROVAL");
  expect(codeOf(await act("a"))).toBe("ok");
  expect(codeOf(await act("a"))).toBe("PENDING_APPROVAL");
  expect(ran).toEqual(["a"]);
});

test("a no is one for the same call, too", async () => {
  const { act, ran, approvals, approvalId } = await released();
  await approvals.answer(approvalId, { decision: "deny" });
  expect(codeOf(await act("a"))).toBe("APPROVAL_DENIED");
  expect(ran).toEqual([]);
});

test("what was decided before is not let go", async () => {
  const { session, act, ran } = await openAsking();
  const { approvalId } = (await act("a")) as { approvalId: string };
  const outcome = session.resolveApproval(approvalId, "allow-once");
  expect(session.releaseApproval(approvalId)).toBe(false);
  expect(codeOf(await outcome)).toBe("ok");
  expect(ran).toEqual(["a"]);
  expect(session.releaseApproval("nobody")).toBe(false);
});
