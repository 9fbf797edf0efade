import { describe, expect, test } from "vitest";
import { text, textOf } from "../../src/contract/result.ts";
import { openAsking } from "../support/approvals.ts";
import { codeOf, eventTypes, gate, makeTool, policyOf, said, settled, watch } from "../support/kernel.ts";

describe("without an approver", () => {
  test("the call is pending, and says how it can go on", async () => {
    const { session, ran, act } = await openAsking();
    const outcome = await act("a", "1");
    expect(outcome).toMatchObject({ kind: "pending", code: "PENDING_APPROVAL", receipt: "none" });
    const { approvalId } = outcome as { approvalId: string };
    expect(said(outcome)).toContain(approvalId);
    expect(outcome.details).toMatchObject({ status: "pending_approval", approvalId });
    // What the model reads does not tell it how to answer its own question.
    expect(said(outcome)).toMatch(
      /^Waiting for approval .* act has not run\.\nReason: ask everything\nStop and wait/,
    );
    expect(said(outcome)).not.toMatch(/\/approve|allow-once/);
    expect(outcome.details["prompt"]).toContain(
      `Reply with: /approve ${approvalId} allow-once|allow-always|deny`,
    );
    expect(session.pendingApprovals()).toMatchObject([
      { approvalId, toolCallId: "1", tool: { name: "act" }, args: { value: "a" }, reason: "ask everything" },
    ]);
    expect(session.ledger()).toMatchObject([{ status: "pending" }]);
    expect(ran).toEqual([]);
  });

  test.for([
    ["allow-once", "ok", "completed"],
    ["deny", "APPROVAL_DENIED", "failed"],
  ] as const)("%s decides it, once", async ([decision, code, status]) => {
    const { session, ran, act } = await openAsking();
    const events = watch(session);
    const { approvalId } = (await act("a", "1")) as { approvalId: string };
    expect(eventTypes(events)).toEqual(["approval-requested"]);
    const outcome = await session.resolveApproval(approvalId, decision);
    expect(outcome).toMatchObject({ toolCallId: "1" });
    expect(codeOf(outcome)).toBe(code);
    expect(session.ledger()).toMatchObject([{ toolCallId: "1", status }]);
    expect(ran).toHaveLength(code === "ok" ? 1 : 0);
    expect(eventTypes(events).filter((type) => type === "tool-end")).toHaveLength(1);
    await expect(session.resolveApproval(approvalId, "allow-once")).rejects.toMatchObject({
      code: "APPROVAL_NOT_FOUND",
    });
    expect(ran).toHaveLength(code === "ok" ? 1 : 0);
  });

  test("an id nobody waits under", async () => {
    const { session } = await openAsking();
    await expect(session.resolveApproval("nope", "allow-once")).rejects.toMatchObject({
      code: "APPROVAL_NOT_FOUND",
    });
  });

  test("a call that was resumed can be aborted like any other", async () => {
    const { session } = await openAsking({
      tools: [makeTool("deaf", { execute: () => gate<never>().promise })],
    });
    const { approvalId } = (await session.call({ id: "1", name: "deaf" })) as { approvalId: string };
    const outcome = session.resolveApproval(approvalId, "allow-once");
    await settled();
    session.abort("1", "enough.");
    expect(await outcome).toMatchObject({ kind: "cancelled" });
  });

  test("what nobody could read is not asked about, and explained so; what is shorter is, and shown from both ends", async () => {
    const { session, act, ran } = await openAsking();
    const long = await act("x".repeat(300_000));
    expect(long).toMatchObject({ kind: "blocked", code: "APPROVAL_TOO_LONG" });
    expect(said(long)).toMatch(/too long for a person to read: 300021 characters, of at most 262144/);
    expect(session.pendingApprovals()).toEqual([]);
    const explained = await session.explain("act", { value: "x".repeat(300_000) });
    expect(explained).toMatchObject({
      verdict: "denied",
      reason: expect.stringContaining("300021 characters"),
    });

    await act("y".repeat(200_000));
    const [waiting] = session.pendingApprovals();
    expect(textOf(waiting!.preview).length).toBeLessThan(17_000);
    expect(textOf(waiting!.preview)).toContain("characters in all; what stands here is not shown");
    expect(waiting).toMatchObject({ offers: [], noAlways: "not all of it is shown" });
    expect(ran).toEqual([]);
  });

  test("a plan that shows more than that is not asked about either", async () => {
    const preview = [text("a".repeat(140_000)), text("b".repeat(140_000))];
    const { session, act } = await openAsking({ tool: { plan: () => ({ preview }) } });
    expect(await act("short")).toMatchObject({ kind: "blocked", code: "APPROVAL_TOO_LONG" });
    expect(session.pendingApprovals()).toEqual([]);
  });

  test("what policy denies is not asked about", async () => {
    const { session, act } = await openAsking({ policy: policyOf({ call: () => "deny" }) });
    expect(await act("a")).toMatchObject({ kind: "blocked", code: "POLICY_DENIED" });
    expect(session.pendingApprovals()).toEqual([]);
  });
});
