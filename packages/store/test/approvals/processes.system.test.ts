import { expect, test } from "vitest";
import {
  ALLOW,
  DENY,
  sampleGrant,
  sampleRequest,
  SCOPE,
  waiter,
} from "../../src/testing/approvals/samples.ts";
import { startApprovalsWorker } from "../support/start-approvals-worker.ts";
import { openTestStore, temporaryDatabase } from "../support/temporary-store.ts";

test("a process receives the answer of another process", async () => {
  const path = temporaryDatabase();
  const { approvals } = openTestStore(path);
  const other = startApprovalsWorker(path);
  await other.do("ask", "asked123");
  expect(await approvals.requests()).toMatchObject([{ approvalId: "asked123", attended: true }]);
  await approvals.answer("asked123", DENY);
  expect(await other.next()).toEqual({ received: "asked123", answer: DENY });
  const delivered = approvals.awaitDelivery!("asked123", 60_000);
  await other.do("take", "asked123");
  expect(await delivered).toBe(true);
  await expect(approvals.answer("asked123", ALLOW)).rejects.toMatchObject({ details: { state: "decided" } });
});

test("an answer that its process did not take is available to the next process", async () => {
  const path = temporaryDatabase();
  const [{ approvals }, next] = [openTestStore(path), openTestStore(path).approvals];
  await approvals.addRequest(sampleRequest("left1234"));
  const { answered, leave } = waiter(approvals, "left1234");
  await next.answer("left1234", ALLOW);
  await answered;
  leave();
  const same = { ...SCOPE, exactKey: "key of left1234" };
  expect(await next.takeAnswer!(same)).toBeUndefined();
  await approvals.close!();
  expect(await next.takeAnswer!(same)).toEqual({ approvalId: "left1234", answer: ALLOW });
});

test("a request survives its process, and the next process takes its answer once", async () => {
  const path = temporaryDatabase();
  const { approvals } = openTestStore(path);
  const other = startApprovalsWorker(path);
  await other.do("ask", "dead1234");
  await other.kill();
  const [left] = await approvals.requests();
  expect(left).toMatchObject({ attended: false, args: sampleRequest("dead1234").args });
  await approvals.answer("dead1234", ALLOW);
  expect(await approvals.awaitDelivery!("dead1234", 60_000)).toBe(false);
  const next = startApprovalsWorker(path);
  const taken = await Promise.all([
    next.do("meet", "key of dead1234"),
    approvals.takeAnswer!({ ...SCOPE, exactKey: "key of dead1234" }),
    approvals.takeAnswer!({ approvalId: "dead1234" }),
  ]);
  expect(taken.filter((one) => one !== undefined && one !== null)).toEqual([
    { approvalId: "dead1234", answer: ALLOW },
  ]);
});

test("of answers by many processes, one counts and one process takes it", async () => {
  const path = temporaryDatabase();
  const { approvals } = openTestStore(path);
  const others = [startApprovalsWorker(path), startApprovalsWorker(path)];
  for (let round = 0; round < 20; round++) {
    const id = `race${round}`;
    await approvals.addRequest(sampleRequest(id));
    const answered = await Promise.all(others.map((other) => other.do("answer", id)));
    expect(answered.filter((done) => done === true)).toHaveLength(1);
    const taken = await Promise.all(others.map((other) => other.do("take", id)));
    expect(taken.filter((one) => one !== null)).toHaveLength(1);
  }
});

test("counts every use of a grant, and no use restores a revoked grant", async () => {
  const path = temporaryDatabase();
  const { approvals } = openTestStore(path);
  await approvals.addGrant(sampleGrant("shared12"));
  const others = [startApprovalsWorker(path), startApprovalsWorker(path)];
  await Promise.all(others.map((other) => other.do("use", "shared12", 200)));
  expect(await approvals.allGrants()).toMatchObject([{ used: 400 }]);
  const using = others[0]!.do("use", "shared12", 200);
  expect(await approvals.revoke("shared12")).toBe(true);
  await using;
  expect(await approvals.allGrants()).toEqual([]);
  await expect(approvals.addGrant(sampleGrant("shared12"))).rejects.toMatchObject({
    code: "APPROVAL_ID_TAKEN",
  });
});
