import { describe, expect, test } from "vitest";
import type { ApprovalDecision, ApprovalRequest } from "../../src/contract/approval-port.ts";
import { openAsking } from "../support/approvals.ts";
import { codeOf, eventTypes, gate, settled, sleep, watch, thrower } from "../support/kernel.ts";

describe("with an approver", () => {
  test.for([
    ["allow-once", "ok"],
    ["allow-always", "ok"],
    ["deny", "APPROVAL_DENIED"],
  ] as const)("%s", async ([decision, code]) => {
    const requests: ApprovalRequest[] = [];
    const ask = (request: ApprovalRequest) => {
      requests.push(request);
      return Promise.resolve(decision);
    };
    const { session, ran, act } = await openAsking({ approver: { ask } });
    const events = watch(session);
    expect(codeOf(await act("a", "1"))).toBe(code);
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
    ["throws at once", thrower(new Error("no route"))],
    ["rejects", () => Promise.reject(new Error("no route"))],
    ["answers nothing", () => Promise.resolve()],
    ["answers true", () => Promise.resolve(true)],
    ["answers yes", () => Promise.resolve("yes")],
    ["answers like a method of objects", () => Promise.resolve("constructor")],
    ["answers with an object that is no decision", () => Promise.resolve({ decision: "yes" })],
    [
      "answers a grant without allow-always",
      () => Promise.resolve({ decision: "allow-once", grant: "exact" }),
    ],
  ];

  test.for(failures)("one that %s has not approved", async ([_what, ask]) => {
    const { session, ran, act } = await openAsking({ approver: { ask: ask as never } });
    expect(await act("a")).toMatchObject({ kind: "blocked", code: "APPROVAL_UNAVAILABLE", receipt: "none" });
    expect(ran).toEqual([]);
    expect(session.ledger()).toMatchObject([{ status: "failed", code: "APPROVAL_UNAVAILABLE" }]);
  });

  test("one that never answers is not waited for forever", async () => {
    const { session, ran, act } = await openAsking({
      approver: { ask: () => gate<never>().promise },
      approvalTimeoutMs: 20,
    });
    expect(await act("a")).toMatchObject({ kind: "blocked", code: "APPROVAL_TIMEOUT" });
    expect(ran).toEqual([]);
    expect(session.pendingApprovals()).toEqual([]);
  });

  test("an answer after the time is over changes nothing", async () => {
    const { promise, resolve } = gate<ApprovalDecision>();
    const { session, ran, act } = await openAsking({
      approver: { ask: () => promise },
      approvalTimeoutMs: 10,
    });
    await act("a");
    resolve("allow-always");
    await settled();
    expect(ran).toEqual([]);
    expect(session.ledger()).toMatchObject([{ status: "failed", code: "APPROVAL_TIMEOUT" }]);
  });

  test("no limit at all is possible", async () => {
    const { promise, resolve } = gate<ApprovalDecision>();
    const { act } = await openAsking({ approver: { ask: () => promise }, approvalTimeoutMs: Infinity });
    const outcome = act("a");
    await sleep(20);
    resolve("allow-once");
    expect(codeOf(await outcome)).toBe("ok");
  });

  test("allow-always covers this very call for the session, and nothing else", async () => {
    let asked = 0;
    const ask = () => Promise.resolve<ApprovalDecision>(++asked === 1 ? "allow-always" : "deny");
    const { act } = await openAsking({ approver: { ask } });
    expect(codeOf(await act("a"))).toBe("ok");
    expect(codeOf(await act("a"))).toBe("ok");
    expect(asked).toBe(1);
    expect(codeOf(await act("b"))).toBe("APPROVAL_DENIED");
  });

  test("allow-once covers one call", async () => {
    let asked = 0;
    const { act } = await openAsking({
      approver: { ask: () => Promise.resolve(++asked === 1 ? "allow-once" : "deny") },
    });
    expect(codeOf(await act("a"))).toBe("ok");
    expect(codeOf(await act("a"))).toBe("APPROVAL_DENIED");
  });

  test("a call aborted before is not asked about", async () => {
    let asked = 0;
    const { session } = await openAsking({
      approver: { ask: () => Promise.resolve(++asked > 0 ? "allow-once" : "deny") },
    });
    const outcome = await session.call(
      { name: "act", arguments: { value: "a" } },
      { signal: AbortSignal.abort() },
    );
    expect(outcome).toMatchObject({ kind: "cancelled", receipt: "none" });
    expect(asked).toBe(0);
  });

  test("a listener may abort the call it is told of", async () => {
    const { session, ran, act } = await openAsking({
      approver: { ask: () => sleep(1).then(() => "allow-once" as const) },
    });
    session.subscribe((event) => {
      if (event.type === "approval-requested") session.abort(event.toolCallId);
    });
    expect(await act("a")).toMatchObject({ kind: "cancelled" });
    expect(ran).toEqual([]);
  });
});
