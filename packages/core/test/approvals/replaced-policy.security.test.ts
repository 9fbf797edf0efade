import { expect, describe, test } from "vitest";
import { createMemoryApprovals } from "../../src/approvals/memory-approvals.ts";
import type { ApprovalRequest, Approver } from "../../src/contract/approval-port.ts";
import { alwaysAskPolicy, askEveryTimePolicy, getWaitingId } from "../support/approvals.ts";
import {
  getCode,
  eventTypes,
  createGate,
  createTestPolicy,
  getOutcomeText,
  waitUntilSettled,
  watch,
} from "../support/kernel.ts";
import { allowPolicy, denyPolicy, openWithPolicy } from "../support/replaced-policy.ts";

describe("a waiting call under a new policy", () => {
  test("is denied, with the reason of the new rules", async () => {
    const approvals = createMemoryApprovals();
    const { factory, session, act, ran } = await openWithPolicy(alwaysAskPolicy, { approvals });
    const events = watch(session);
    const { approvalId } = (await act("a", "1")) as { approvalId: string };
    factory.replacePolicy(denyPolicy);
    expect(session.pendingApprovals()).toEqual([]);
    await expect(session.resolveApproval(approvalId, "allow-once")).rejects.toMatchObject({
      code: "APPROVAL_NOT_FOUND",
    });
    await waitUntilSettled();
    expect(await approvals.requests()).toEqual([]);
    expect(events.find(({ type }) => type === "tool-end")).toMatchObject({
      toolCallId: "1",
      outcome: {
        kind: "blocked",
        code: "POLICY_DENIED",
        receipt: "none",
        details: { reason: "deny everything" },
      },
    });
    expect(eventTypes(events)).toEqual([
      "approval-requested",
      "approval-settled",
      "tool-blocked",
      "tool-end",
    ]);
    expect(session.ledger()).toMatchObject([{ status: "failed", decisionId: "test-deny" }]);
    expect(ran).toEqual([]);
  });

  test("is blocked if its tool is hidden", async () => {
    const { factory, session, act, ran } = await openWithPolicy(alwaysAskPolicy);
    const events = watch(session);
    await act("a");
    factory.replacePolicy(createTestPolicy({ visibility: () => "deny" }));
    await waitUntilSettled();
    expect(events.at(-1)).toMatchObject({ outcome: { code: "POLICY_DENIED" } });
    expect(ran).toEqual([]);
  });

  test("runs if it needs no approval", async () => {
    const { factory, session, act, ran } = await openWithPolicy(alwaysAskPolicy);
    await act("a", "1");
    factory.replacePolicy(allowPolicy);
    await waitUntilSettled();
    expect(ran).toEqual(["a"]);
    expect(session.ledger()).toMatchObject([{ toolCallId: "1", outcome: "ok", decisionId: "test-allow" }]);
  });

  test("still waits if a hook requires approval", async () => {
    const hook = { name: "careful", beforeToolCall: () => ({ ask: "The hook asks." }) };
    const { factory, session, act, ran } = await openWithPolicy(allowPolicy, { hooks: [hook] });
    const { approvalId } = (await act("a")) as { approvalId: string };
    factory.replacePolicy(createTestPolicy());
    expect(session.pendingApprovals()).toMatchObject([{ approvalId }]);
    expect(ran).toEqual([]);
  });

  test("keeps its id if it still needs approval, and the answer counts", async () => {
    const { factory, session, act, ran } = await openWithPolicy(alwaysAskPolicy);
    const events = watch(session);
    const { approvalId } = (await act("a")) as { approvalId: string };
    factory.replacePolicy(createTestPolicy({ call: () => "ask" }));
    expect(session.pendingApprovals()).toMatchObject([{ approvalId }]);
    expect(getCode(await session.resolveApproval(approvalId, "allow-once"))).toBe("ok");
    expect(ran).toEqual(["a"]);
    expect(eventTypes(events).filter((type) => type === "approval-requested")).toHaveLength(1);
  });

  test("runs once without a grant if every call needs approval", async () => {
    const { factory, session, act } = await openWithPolicy(alwaysAskPolicy);
    await act("a");
    factory.replacePolicy(askEveryTimePolicy);
    const outcome = await session.resolveApproval(getWaitingId(session), "allow-always");
    expect(getOutcomeText(outcome)).toContain("could not be stored: ask is always");
    expect(await session.grants()).toEqual([]);
  });

  test("is withdrawn from its approver", async () => {
    const requested = createGate<ApprovalRequest>();
    const approver: Approver = {
      ask(request) {
        requested.resolve(request);
        return new Promise(() => {});
      },
    };
    const { factory, act, ran } = await openWithPolicy(alwaysAskPolicy, { approver });
    const called = act("a");
    const { signal } = await requested.promise;
    factory.replacePolicy(denyPolicy);
    expect(signal.aborted).toBe(true);
    expect(getCode(await called)).toBe("POLICY_DENIED");
    expect(ran).toEqual([]);
  });

  test("obeys the policy at its start if it was answered at the same moment", async () => {
    const { factory, session, act, ran } = await openWithPolicy(alwaysAskPolicy);
    await act("a");
    const denied = session.resolveApproval(getWaitingId(session), "allow-once");
    factory.replacePolicy(denyPolicy);
    expect(getCode(await denied)).toBe("POLICY_DENIED");
    factory.replacePolicy(alwaysAskPolicy);
    await act("b");
    const agreed = session.resolveApproval(getWaitingId(session), "allow-once");
    factory.replacePolicy(createTestPolicy({ call: () => "ask" }));
    // Somebody said yes to this very call: they are not asked again.
    expect(getCode(await agreed)).toBe("ok");
    expect(ran).toEqual(["b"]);
  });

  test("is not allowed by the outcome of another call", async () => {
    const { factory, session, act, ran } = await openWithPolicy(alwaysAskPolicy);
    await act("a");
    await act("b");
    const [, second] = session.pendingApprovals();
    const answered: Promise<unknown>[] = [];
    let isFirst = true;
    session.subscribe((event) => {
      if (event.type !== "approval-settled" || !isFirst) return;
      isFirst = false;
      answered.push(session.resolveApproval(second!.approvalId, "allow-once"));
    });
    factory.replacePolicy(
      createTestPolicy({
        call: (_tool, args) => ((args as { value: string }).value === "a" ? "allow" : "deny"),
      }),
    );
    expect(await Promise.all(answered)).toMatchObject([{ code: "POLICY_DENIED" }]);
    await waitUntilSettled();
    expect(ran).toEqual(["a"]);
  });

  test("is refused if the policy throws, and other calls are still decided", async () => {
    const { factory, session, act, ran } = await openWithPolicy(alwaysAskPolicy);
    await act("a");
    await act("b");
    factory.replacePolicy(
      createTestPolicy({
        call(_tool, args) {
          if ((args as { value: string }).value === "a") throw new Error("broken rules");
          return "allow";
        },
      }),
    );
    await waitUntilSettled();
    expect(ran).toEqual(["b"]);
    expect(session.ledger()).toMatchObject([{ status: "failed" }, { outcome: "ok" }]);
  });
});
