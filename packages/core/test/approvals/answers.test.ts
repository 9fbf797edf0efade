import { describe, expect, test } from "vitest";
import { createMemoryApprovals } from "../../src/approvals/memory-approvals.ts";
import type { ApprovalDecision, ApprovalRequest } from "../../src/contract/approval-port.ts";
import { HaftError } from "../../src/contract/errors.ts";
import { openAskingSession, until, getWaitingId } from "../support/approvals.ts";
import { getCode, eventTypes, createGate, waitUntilSettled, watch } from "../support/kernel.ts";

const disconnect = () =>
  Promise.reject(new HaftError("APPROVER_GONE", "the connection broke", { category: "operational" }));

describe("simultaneous answers", () => {
  const answers: [string, ApprovalDecision, ApprovalDecision, ApprovalDecision][] = [
    ["all agree", "allow-once", "allow-once", "allow-once"],
    ["the session denies", "allow-once", "deny", "allow-once"],
    ["the store denies", "allow-once", "allow-once", "deny"],
    ["the approver denies", "deny", "allow-once", "allow-once"],
  ];
  const orders = [
    ["approver", "session", "store"],
    ["session", "store", "approver"],
    ["store", "session", "approver"],
    ["store", "approver", "session"],
  ];
  const cases = answers.flatMap((one) => orders.map((order) => ({ what: one[0], one, order })));

  test.for(cases)(
    "accepts one answer and runs the call at most once: $what, in the order $order",
    async ({ one, order }) => {
      const [, byApprover, bySession, byStore] = one;
      const { promise, resolve } = createGate<ApprovalDecision>();
      const approvals = createMemoryApprovals();
      const { session, ran, act } = await openAskingSession({ approvals, approver: { ask: () => promise } });
      const events = watch(session);
      const call = act("a", "1");
      await until(() => session.pendingApprovals().length === 1);
      const id = getWaitingId(session);
      const ways: Record<string, () => Promise<unknown>> = {
        approver: async () => resolve(byApprover),
        session: () => session.resolveApproval(id, bySession),
        store: () => approvals.answer(id, { decision: byStore }),
      };
      const results = await Promise.allSettled(order.map((way) => ways[way]!()));
      const outcome = await call;
      expect(["ok", "APPROVAL_DENIED"]).toContain(getCode(outcome));
      expect(ran).toEqual(getCode(outcome) === "ok" ? ["a"] : []);
      for (const result of results) {
        if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "APPROVAL_NOT_FOUND" });
      }
      await expect(session.resolveApproval(id, "allow-once")).rejects.toMatchObject({
        code: "APPROVAL_NOT_FOUND",
      });
      await expect(approvals.answer(id, { decision: "allow-once" })).rejects.toMatchObject({
        code: "APPROVAL_NOT_FOUND",
      });
      await waitUntilSettled();
      const once = ["approval-requested", "approval-settled", "tool-end"];
      expect(eventTypes(events, "1").filter((type) => once.includes(type))).toEqual(once);
      expect(ran.length).toBeLessThan(2);
      expect(await approvals.requests()).toEqual([]);
    },
  );
});

describe("events", () => {
  const sequence = ["approval-requested", "approval-settled", "tool-start", "tool-end"];

  test.for(["session", "store"] as const)(
    "accepts an answer of a listener during the event, by the %s",
    async (way) => {
      for (const approver of [undefined, { ask: disconnect }]) {
        const approvals = createMemoryApprovals();
        const { session, ran, act } = await openAskingSession({
          approvals,
          ...(approver ? { approver } : {}),
        });
        session.subscribe((event) => {
          if (event.type !== "approval-requested") return;
          if (way === "session") void session.resolveApproval(event.approvalId, "allow-once");
          else void approvals.answer(event.approvalId, { decision: "allow-once" });
        });
        const events = watch(session);
        await act("a", "1");
        await until(() => session.ledger()[0]!.status === "completed");
        expect(ran).toEqual(["a"]);
        expect(eventTypes(events)).toEqual(sequence);
      }
    },
  );

  test("asks the approver after all listeners, and not if a listener decided", async () => {
    const order: string[] = [];
    const ask = async () => {
      order.push("asked");
      return "allow-once" as const;
    };
    const { session, act } = await openAskingSession({ approver: { ask } });
    const stop = session.subscribe(({ type }) => order.push(type));
    await act("a");
    expect(order).toEqual(["approval-requested", "asked", ...sequence.slice(1)]);
    stop();
    session.subscribe((event) => {
      if (event.type === "approval-requested") void session.resolveApproval(event.approvalId, "deny");
    });
    order.length = 0;
    expect(getCode(await act("b"))).toBe("APPROVAL_DENIED");
    expect(order).toEqual([]);
  });

  test("gives listeners and approver copies, which change nothing", async () => {
    const tamper = (request: ApprovalRequest) => {
      for (const change of [
        () => ((request.args as { value: string }).value = "rm"),
        () => ((request.preview[0] as { text: string }).text = "harmless"),
        () => (request.offers as unknown[]).push({}),
        () => (request.tool.effects as string[]).push("read"),
      ]) {
        expect(change).toThrow(TypeError);
      }
    };
    const ask = async (request: ApprovalRequest): Promise<ApprovalDecision> => {
      tamper(request);
      return "allow-once";
    };
    const { session, ran, act } = await openAskingSession({ approver: { ask } });
    session.subscribe((event) => {
      if (event.type === "approval-requested")
        tamper({ ...event.request, signal: new AbortController().signal });
    });
    expect(getCode(await act("a"))).toBe("ok");
    expect(ran).toEqual(["a"]);
    expect(session.ledger()).toMatchObject([{ args: { value: "a" } }]);
  });

  test("freezes the arguments of a waiting call in the ledger", async () => {
    const { session, ran, act } = await openAskingSession();
    await act("a");
    const { args } = session.ledger()[0]! as { args: { value: string } };
    expect(() => (args.value = "rm")).toThrow(/read ?only/);
    await session.resolveApproval(getWaitingId(session), "allow-once");
    expect(ran).toEqual(["a"]);
  });
});
