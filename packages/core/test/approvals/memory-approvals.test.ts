import { expect, test } from "vitest";
import { createMemoryApprovals } from "../../src/approvals/memory-approvals.ts";
import type { ApprovalAnswer } from "../../src/contract/approval-port.ts";
import { approvalStoreContract } from "../contract/approval-store.ts";
import { grant, request } from "../support/approvals.ts";

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
