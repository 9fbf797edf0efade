import { describe, expect, test } from "vitest";
import { createMemoryApprovals } from "../../src/approvals/memory-approvals.ts";
import type { ApprovalDecision, ApprovalRequest } from "../../src/contract/approval-port.ts";
import { text, contentToText } from "../../src/contract/result.ts";
import { openAskingSession, until } from "../support/approvals.ts";
import {
  getCode,
  eventTypes,
  createGate,
  makeTool,
  createTestPolicy,
  getOutcomeText,
  waitUntilSettled,
  sleep,
  createThrower,
  watch,
} from "../support/kernel.ts";

describe("without an approver", () => {
  test("returns pending and tells how to continue", async () => {
    const { session, ran, act } = await openAskingSession();
    const outcome = await act("a", "1");
    expect(outcome).toMatchObject({ kind: "pending", code: "PENDING_APPROVAL", receipt: "none" });
    const { approvalId } = outcome as { approvalId: string };
    expect(getOutcomeText(outcome)).toContain(approvalId);
    expect(outcome.details).toMatchObject({ status: "pending_approval", approvalId });
    // What the model reads does not tell it how to answer its own question.
    expect(getOutcomeText(outcome)).toMatch(
      /^Waiting for approval .* act has not run\.\nReason: ask everything\nStop and wait/,
    );
    expect(getOutcomeText(outcome)).not.toMatch(/\/approve|allow-once/);
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
  ] as const)("accepts %s once", async ([decision, code, status]) => {
    const { session, ran, act } = await openAskingSession();
    const events = watch(session);
    const { approvalId } = (await act("a", "1")) as { approvalId: string };
    expect(eventTypes(events)).toEqual(["approval-requested"]);
    const outcome = await session.resolveApproval(approvalId, decision);
    expect(outcome).toMatchObject({ toolCallId: "1" });
    expect(getCode(outcome)).toBe(code);
    expect(session.ledger()).toMatchObject([{ toolCallId: "1", status }]);
    expect(ran).toHaveLength(code === "ok" ? 1 : 0);
    expect(eventTypes(events).filter((type) => type === "tool-end")).toHaveLength(1);
    await expect(session.resolveApproval(approvalId, "allow-once")).rejects.toMatchObject({
      code: "APPROVAL_NOT_FOUND",
    });
    expect(ran).toHaveLength(code === "ok" ? 1 : 0);
  });

  test("rejects an unknown approval id", async () => {
    const { session } = await openAskingSession();
    await expect(session.resolveApproval("nope", "allow-once")).rejects.toMatchObject({
      code: "APPROVAL_NOT_FOUND",
    });
  });

  test("aborts a resumed call", async () => {
    const { session } = await openAskingSession({
      tools: [makeTool("deaf", { execute: () => createGate<never>().promise })],
    });
    const { approvalId } = (await session.call({ id: "1", name: "deaf" })) as { approvalId: string };
    const outcome = session.resolveApproval(approvalId, "allow-once");
    await waitUntilSettled();
    session.abort("1", "enough.");
    expect(await outcome).toMatchObject({ kind: "cancelled" });
  });

  test("refuses and explains an unreadably long call, and shows both ends of a shorter call", async () => {
    const { session, act, ran } = await openAskingSession();
    const long = await act("x".repeat(300_000));
    expect(long).toMatchObject({ kind: "blocked", code: "APPROVAL_TOO_LONG" });
    expect(getOutcomeText(long)).toMatch(/too long to read: 300021 characters, of at most 262144/);
    expect(session.pendingApprovals()).toEqual([]);
    const explained = await session.explain("act", { value: "x".repeat(300_000) });
    expect(explained).toMatchObject({
      verdict: "denied",
      reason: expect.stringContaining("300021 characters"),
    });

    await act("y".repeat(200_000));
    const [waiting] = session.pendingApprovals();
    expect(contentToText(waiting!.preview).length).toBeLessThan(17_000);
    expect(contentToText(waiting!.preview)).toContain("characters in all; the middle is not shown");
    expect(waiting).toMatchObject({ offers: [], noAlways: "it is not shown completely" });
    expect(ran).toEqual([]);
  });

  test("refuses a plan with an unreadably long preview", async () => {
    const preview = [text("a".repeat(140_000)), text("b".repeat(140_000))];
    const { session, act } = await openAskingSession({ tool: { plan: () => ({ preview }) } });
    expect(await act("short")).toMatchObject({ kind: "blocked", code: "APPROVAL_TOO_LONG" });
    expect(session.pendingApprovals()).toEqual([]);
  });

  test("does not request approval of a call that policy denies", async () => {
    const { session, act } = await openAskingSession({ policy: createTestPolicy({ call: () => "deny" }) });
    expect(await act("a")).toMatchObject({ kind: "blocked", code: "POLICY_DENIED" });
    expect(session.pendingApprovals()).toEqual([]);
  });
});

async function released() {
  const approvals = createMemoryApprovals();
  const asking = await openAskingSession({ approvals });
  const events = watch(asking.session);
  const { approvalId } = (await asking.act("a", "1")) as { approvalId: string };
  expect(asking.session.releaseApproval(approvalId)).toBe(true);
  await until(() => eventTypes(events).includes("tool-end"));
  return { ...asking, approvals, approvalId };
}

test("ends a released call without running it, and its request stays open", async () => {
  const { session, ran, approvals, approvalId } = await released();
  expect(session.ledger()).toMatchObject([{ toolCallId: "1", status: "failed", receipt: "none" }]);
  expect(session.pendingApprovals()).toEqual([]);
  expect(await approvals.requests()).toMatchObject([{ approvalId, attended: false }]);
  await approvals.answer(approvalId, { decision: "allow-once" });
  expect(ran).toEqual([]);
});

test("gives the answer to the same call made again, once", async () => {
  const { act, ran, approvals, approvalId } = await released();
  await approvals.answer(approvalId, { decision: "allow-once" });
  expect(getCode(await act("b"))).toBe("PENDING_APPROVAL");
  expect(getCode(await act("a"))).toBe("ok");
  expect(getCode(await act("a"))).toBe("PENDING_APPROVAL");
  expect(ran).toEqual(["a"]);
});

test("denies the same call made again after a denial", async () => {
  const { act, ran, approvals, approvalId } = await released();
  await approvals.answer(approvalId, { decision: "deny" });
  expect(getCode(await act("a"))).toBe("APPROVAL_DENIED");
  expect(ran).toEqual([]);
});

test("does not release a decided call", async () => {
  const { session, act, ran } = await openAskingSession();
  const { approvalId } = (await act("a")) as { approvalId: string };
  const outcome = session.resolveApproval(approvalId, "allow-once");
  expect(session.releaseApproval(approvalId)).toBe(false);
  expect(getCode(await outcome)).toBe("ok");
  expect(ran).toEqual(["a"]);
  expect(session.releaseApproval("nobody")).toBe(false);
});

describe("with an approver", () => {
  test.for([
    ["allow-once", "ok"],
    ["allow-always", "ok"],
    ["deny", "APPROVAL_DENIED"],
  ] as const)("follows the decision %s", async ([decision, code]) => {
    const requests: ApprovalRequest[] = [];
    const ask = (request: ApprovalRequest) => {
      requests.push(request);
      return Promise.resolve(decision);
    };
    const { session, ran, act } = await openAskingSession({ approver: { ask } });
    const events = watch(session);
    expect(getCode(await act("a", "1"))).toBe(code);
    expect(ran).toHaveLength(code === "ok" ? 1 : 0);
    expect(requests).toMatchObject([
      {
        toolCallId: "1",
        sessionKey: session.key,
        args: { value: "a" },
        reason: "ask everything",
        tool: { id: "t/act" },
      },
    ]);
    expect(requests[0]!.preview).toMatchObject([{ type: "text", text: expect.stringContaining("act") }]);
    expect(session.pendingApprovals()).toEqual([]);
    expect(eventTypes(events)[0]).toBe("approval-requested");
    expect(session.ledger()).toMatchObject([
      { status: code === "ok" ? "completed" : "failed", outcome: code === "ok" ? "ok" : "blocked" },
    ]);
  });

  const failures: [string, () => unknown][] = [
    ["throws at once", createThrower(new Error("no route"))],
    ["rejects", () => Promise.reject(new Error("no route"))],
    ["answers nothing", () => Promise.resolve()],
    ["answers true", () => Promise.resolve(true)],
    ["answers yes", () => Promise.resolve("yes")],
    ["answers like a method of objects", () => Promise.resolve("constructor")],
    ["answers with an object without a decision", () => Promise.resolve({ decision: "yes" })],
    [
      "answers a grant without allow-always",
      () => Promise.resolve({ decision: "allow-once", grant: "exact" }),
    ],
  ];

  test.for(failures)("blocks the call if the approver %s", async ([_what, ask]) => {
    const { session, ran, act } = await openAskingSession({ approver: { ask: ask as never } });
    expect(await act("a")).toMatchObject({ kind: "blocked", code: "APPROVAL_UNAVAILABLE", receipt: "none" });
    expect(ran).toEqual([]);
    expect(session.ledger()).toMatchObject([{ status: "failed", code: "APPROVAL_UNAVAILABLE" }]);
  });

  test("logs an invalid answer, with the wrong key and the valid answers", async () => {
    const logged: string[] = [];
    const log = (message: string) => void logged.push(message);
    const ask = async () => ({ decision: "allow-always", forMS: 1_000 }) as const;
    const { session, act } = await openAskingSession({
      approver: { ask },
      logger: { debug() {}, info() {}, warn() {}, error: log },
    });
    expect(await act("a")).toMatchObject({ kind: "blocked", code: "APPROVAL_UNAVAILABLE" });
    expect(logged).toEqual([expect.stringMatching(/"forMS".*allow-once/s)]);
    expect(await session.grants()).toEqual([]);
  });

  test("ignores an answer after the deadline", async () => {
    const { promise, resolve } = createGate<ApprovalDecision>();
    const { session, ran, act } = await openAskingSession({
      approver: { ask: () => promise },
      approvalTimeoutMs: 10,
    });
    await act("a");
    resolve("allow-always");
    await waitUntilSettled();
    expect(ran).toEqual([]);
    expect(session.ledger()).toMatchObject([{ status: "failed", code: "APPROVAL_TIMEOUT" }]);
  });

  test("limits allow-always to this exact call in the session", async () => {
    let asked = 0;
    const ask = () => Promise.resolve<ApprovalDecision>(++asked === 1 ? "allow-always" : "deny");
    const { act } = await openAskingSession({ approver: { ask } });
    expect(getCode(await act("a"))).toBe("ok");
    expect(getCode(await act("a"))).toBe("ok");
    expect(asked).toBe(1);
    expect(getCode(await act("b"))).toBe("APPROVAL_DENIED");
  });

  test("limits allow-once to one call", async () => {
    let asked = 0;
    const { act } = await openAskingSession({
      approver: { ask: () => Promise.resolve(++asked === 1 ? "allow-once" : "deny") },
    });
    expect(getCode(await act("a"))).toBe("ok");
    expect(getCode(await act("a"))).toBe("APPROVAL_DENIED");
  });

  test("does not ask about an aborted call", async () => {
    let asked = 0;
    const { session } = await openAskingSession({
      approver: { ask: () => Promise.resolve(++asked > 0 ? "allow-once" : "deny") },
    });
    const outcome = await session.call(
      { name: "act", arguments: { value: "a" } },
      { signal: AbortSignal.abort() },
    );
    expect(outcome).toMatchObject({ kind: "cancelled", receipt: "none" });
    expect(asked).toBe(0);
  });

  test("lets a listener abort the call of the event", async () => {
    const { session, ran, act } = await openAskingSession({
      approver: { ask: () => sleep(1).then(() => "allow-once" as const) },
    });
    session.subscribe((event) => {
      if (event.type === "approval-requested") session.abort(event.toolCallId);
    });
    expect(await act("a")).toMatchObject({ kind: "cancelled" });
    expect(ran).toEqual([]);
  });
});
