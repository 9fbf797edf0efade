import { expect, describe, test } from "vitest";
import { createMemoryApprovals } from "../../src/approvals/memory-approvals.ts";
import type { ApprovalRequest, Approver } from "../../src/contract/approval-port.ts";
import { asking, askingEveryTime, waitingId } from "../support/approvals.ts";
import { codeOf, eventTypes, gate, policyOf, said, settled, watch } from "../support/kernel.ts";
import { allowing, denying, openUnder } from "../support/replaced-policy.ts";

describe("a call that waits for approval", () => {
  test("and is denied now is closed as denied, with the reason of the new rules", async () => {
    const approvals = createMemoryApprovals();
    const { factory, session, act, ran } = await openUnder(asking, { approvals });
    const events = watch(session);
    const { approvalId } = (await act("a", "1")) as { approvalId: string };
    factory.replacePolicy(denying);
    expect(session.pendingApprovals()).toEqual([]);
    await expect(session.resolveApproval(approvalId, "allow-once")).rejects.toMatchObject({
      code: "APPROVAL_NOT_FOUND",
    });
    await settled();
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

  test("and is hidden now, likewise", async () => {
    const { factory, session, act, ran } = await openUnder(asking);
    const events = watch(session);
    await act("a");
    factory.replacePolicy(policyOf({ visibility: () => "deny" }));
    await settled();
    expect(events.at(-1)).toMatchObject({ outcome: { code: "POLICY_DENIED" } });
    expect(ran).toEqual([]);
  });

  test("and needs no approval any more runs", async () => {
    const { factory, session, act, ran } = await openUnder(asking);
    await act("a", "1");
    factory.replacePolicy(allowing);
    await settled();
    expect(ran).toEqual(["a"]);
    expect(session.ledger()).toMatchObject([{ toolCallId: "1", outcome: "ok", decisionId: "test-allow" }]);
  });

  test("but a hook wants a person asked about it, whatever the rules say", async () => {
    const hook = { name: "careful", beforeToolCall: () => ({ ask: "The hook asks." }) };
    const { factory, session, act, ran } = await openUnder(allowing, { hooks: [hook] });
    const { approvalId } = (await act("a")) as { approvalId: string };
    factory.replacePolicy(policyOf());
    expect(session.pendingApprovals()).toMatchObject([{ approvalId }]);
    expect(ran).toEqual([]);
  });

  test("and is asked about still keeps its id, and the answer counts", async () => {
    const { factory, session, act, ran } = await openUnder(asking);
    const events = watch(session);
    const { approvalId } = (await act("a")) as { approvalId: string };
    factory.replacePolicy(policyOf({ call: () => "ask" }));
    expect(session.pendingApprovals()).toMatchObject([{ approvalId }]);
    expect(codeOf(await session.resolveApproval(approvalId, "allow-once"))).toBe("ok");
    expect(ran).toEqual(["a"]);
    expect(eventTypes(events).filter((type) => type === "approval-requested")).toHaveLength(1);
  });

  test("and is asked about every time now runs this once, and is not remembered", async () => {
    const { factory, session, act } = await openUnder(asking);
    await act("a");
    factory.replacePolicy(askingEveryTime);
    const outcome = await session.resolveApproval(waitingId(session), "allow-always");
    expect(said(outcome)).toContain("could not be remembered: ask is always");
    expect(await session.grants()).toEqual([]);
  });

  test("is taken away from the approver who was asked", async () => {
    const asked = gate<ApprovalRequest>();
    const approver: Approver = {
      ask(request) {
        asked.resolve(request);
        return new Promise(() => {});
      },
    };
    const { factory, act, ran } = await openUnder(asking, { approver });
    const called = act("a");
    const { signal } = await asked.promise;
    factory.replacePolicy(denying);
    expect(signal.aborted).toBe(true);
    expect(codeOf(await called)).toBe("POLICY_DENIED");
    expect(ran).toEqual([]);
  });

  test("and was answered in the same moment is decided by the rules that hold when it begins", async () => {
    const { factory, session, act, ran } = await openUnder(asking);
    await act("a");
    const denied = session.resolveApproval(waitingId(session), "allow-once");
    factory.replacePolicy(denying);
    expect(codeOf(await denied)).toBe("POLICY_DENIED");
    factory.replacePolicy(asking);
    await act("b");
    const agreed = session.resolveApproval(waitingId(session), "allow-once");
    factory.replacePolicy(policyOf({ call: () => "ask" }));
    // Somebody said yes to this very call: they are not asked again.
    expect(codeOf(await agreed)).toBe("ok");
    expect(ran).toEqual(["b"]);
  });

  test("is not let through by what becomes of another one", async () => {
    const { factory, session, act, ran } = await openUnder(asking);
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
      policyOf({ call: (_tool, args) => ((args as { value: string }).value === "a" ? "allow" : "deny") }),
    );
    expect(await Promise.all(answered)).toMatchObject([{ code: "POLICY_DENIED" }]);
    await settled();
    expect(ran).toEqual(["a"]);
  });

  test("under a policy that throws is refused, and the others are decided about", async () => {
    const { factory, session, act, ran } = await openUnder(asking);
    await act("a");
    await act("b");
    factory.replacePolicy(
      policyOf({
        call(_tool, args) {
          if ((args as { value: string }).value === "a") throw new Error("broken rules");
          return "allow";
        },
      }),
    );
    await settled();
    expect(ran).toEqual(["b"]);
    expect(session.ledger()).toMatchObject([{ status: "failed" }, { outcome: "ok" }]);
  });
});
