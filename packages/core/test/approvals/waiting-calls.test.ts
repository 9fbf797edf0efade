import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createMemoryApprovals } from "../../src/approvals/memory-approvals.ts";
import type { ApprovalDecision, ApprovalStore, Approver } from "../../src/contract/approval-port.ts";
import { HaftError } from "../../src/contract/errors.ts";
import { openAskingSession, createStore, until, getWaitingId } from "../support/approvals.ts";
import {
  getCode,
  eventTypes,
  createGate,
  makeTool,
  openSession,
  createTestPolicy,
  getOutcomeText,
  waitUntilSettled,
  watch,
} from "../support/kernel.ts";

const disconnect = () =>
  Promise.reject(new HaftError("APPROVER_GONE", "the connection broke", { category: "operational" }));

describe("an approver with a broken connection", () => {
  test.for(["session", "store"] as const)(
    "leaves the call waiting, and an answer by the %s resumes it",
    async (way) => {
      const approvals = createMemoryApprovals();
      const { session, ran, act } = await openAskingSession({ approvals, approver: { ask: disconnect } });
      const call = act("a");
      await until(() => session.pendingApprovals().length === 1);
      await waitUntilSettled();
      expect(ran).toEqual([]);
      expect(session.ledger()).toMatchObject([{ status: "pending" }]);
      const id = getWaitingId(session);
      if (way === "session") await session.resolveApproval(id, "allow-once");
      else await approvals.answer(id, { decision: "allow-once", by: "phone" });
      expect(getCode(await call)).toBe("ok");
      expect(session.ledger()).toMatchObject([way === "store" ? { decidedBy: "phone" } : {}]);
    },
  );

  test("leaves the call waiting until its deadline", async () => {
    const { act } = await openAskingSession({ approver: { ask: disconnect }, approvalTimeoutMs: 20 });
    const outcome = await act("a");
    expect(outcome).toMatchObject({ kind: "blocked", code: "APPROVAL_TIMEOUT" });
    expect(getOutcomeText(outcome)).toContain("expired after 20 milliseconds");
  });
});

test("stores the request before listeners learn of the call", async () => {
  const store = createStore({});
  const stored = Promise.withResolvers<void>();
  const addRequest: ApprovalStore["addRequest"] = async (request) => {
    await stored.promise;
    await store.addRequest(request);
  };
  const approvals = { ...store, addRequest };
  const { session, act } = await openAskingSession({ approvals, approvalMode: "pending" });
  const counts: number[] = [];
  session.subscribe((event) => {
    if (event.type === "approval-requested") void store.requests().then(({ length }) => counts.push(length));
  });
  const call = act("a");
  await waitUntilSettled();
  expect(counts).toEqual([]);
  stored.resolve();
  expect(getCode(await call)).toBe("PENDING_APPROVAL");
  expect(counts).toEqual([1]);
});

describe("approval modes", () => {
  test.for(["wait", "pending"] as const)(
    "aborts in mode %s: nothing runs, and the request is closed",
    async (approvalMode) => {
      for (const way of ["signal", "id", "close"] as const) {
        const approvals = createMemoryApprovals();
        let received: AbortSignal | undefined;
        const approver: Approver = {
          ask({ signal }) {
            received = signal;
            return createGate<never>().promise;
          },
        };
        const { session, ran } = await openAskingSession({ approvals, approvalMode, approver });
        const events = watch(session);
        const controller = new AbortController();
        const request = { id: "1", name: "act", arguments: { value: "a" } };
        const call = session.call(request, { signal: controller.signal });
        await until(() => session.pendingApprovals().length === 1);
        const id = getWaitingId(session);
        if (way === "signal") controller.abort();
        else if (way === "id") session.abort("1");
        else await session.close();
        const outcome = await call;
        expect(outcome.kind).toBe(approvalMode === "wait" ? "cancelled" : "pending");
        expect(received?.aborted).toBe(approvalMode === "wait" ? true : undefined);
        await until(() => session.ledger()[0]!.status === "failed");
        expect(session.ledger()).toMatchObject([{ outcome: "cancelled", receipt: "none" }]);
        await expect(approvals.answer(id, { decision: "allow-once" })).rejects.toMatchObject({
          code: "APPROVAL_NOT_FOUND",
        });
        expect(eventTypes(events, "1")).toEqual(["approval-requested", "approval-settled", "tool-end"]);
        expect(await approvals.requests()).toEqual([]);
        expect(ran).toEqual([]);
      }
    },
  );

  test.for(["wait", "pending"] as const)("times out in mode %s", async (approvalMode) => {
    const { session, ran, act } = await openAskingSession({ approvalMode, approvalTimeoutMs: 15 });
    const events = watch(session);
    await act("a", "1");
    await until(() => session.ledger()[0]!.status === "failed");
    expect(session.ledger()).toMatchObject([{ code: "APPROVAL_TIMEOUT", receipt: "none" }]);
    expect(eventTypes(events)).toEqual([
      "approval-requested",
      "approval-settled",
      "tool-blocked",
      "tool-end",
    ]);
    expect(session.pendingApprovals()).toEqual([]);
    expect(ran).toEqual([]);
  });

  test("refuses the call at once in mode deny, and runs calls with a grant", async () => {
    const approvals = createMemoryApprovals();
    const scope = { sessionKey: "s" };
    const { session, ran, act } = await openAskingSession({ approvals, approvalMode: "deny", open: scope });
    const events = watch(session);
    const outcome = await act("a");
    expect(outcome).toMatchObject({ kind: "blocked", code: "APPROVAL_UNAVAILABLE", receipt: "none" });
    expect(getOutcomeText(outcome)).toContain("ask everything This session does not request approvals");
    expect(eventTypes(events)).toEqual(["tool-blocked", "tool-end"]);
    expect(await approvals.requests()).toEqual([]);
    const attended = await openAskingSession({ approvals, open: scope });
    await attended.act("a");
    await attended.session.resolveApproval(getWaitingId(attended.session), "allow-always");
    expect(getCode(await act("a"))).toBe("ok");
    expect(ran).toEqual(["a"]);
  });

  test("does not ask the approver in mode deny", async () => {
    let asked = 0;
    const ask = async (): Promise<ApprovalDecision> => {
      asked++;
      return "allow-once";
    };
    const { act } = await openAskingSession({ approver: { ask }, approvalMode: "deny" });
    expect(getCode(await act("a"))).toBe("APPROVAL_UNAVAILABLE");
    expect(asked).toBe(0);
  });

  test("does not ask the approver in mode pending, and runs the call after a decision", async () => {
    let asked = 0;
    const ask = async (): Promise<ApprovalDecision> => {
      asked++;
      return "allow-once";
    };
    const { session, act } = await openAskingSession({ approver: { ask }, approvalMode: "pending" });
    expect(getCode(await act("a"))).toBe("PENDING_APPROVAL");
    expect(getCode(await session.resolveApproval(getWaitingId(session), "allow-once"))).toBe("ok");
    expect(asked).toBe(0);
  });
});

describe("waiting calls", () => {
  test("make an identical call fail, which does not run a second time", async () => {
    const { session, ran, act } = await openAskingSession();
    const [, second] = await Promise.all([act("a", "1"), act("a", "2")]);
    expect(second).toMatchObject({
      kind: "blocked",
      code: "APPROVAL_WAITING",
      details: { duplicateOf: "1" },
    });
    expect(getOutcomeText(second)).toContain(getWaitingId(session));
    await session.resolveApproval(getWaitingId(session), "allow-once");
    expect(ran).toEqual(["a"]);
    expect(getCode(await act("a", "3"))).toBe("PENDING_APPROVAL");
  });

  test("number 64 at most, also at the same moment, and a decision makes room", async () => {
    const { session, act } = await openAskingSession({ loopGuard: false });
    const outcomes = await Promise.all(Array.from({ length: 70 }, (_, index) => act(`${index}`)));
    expect(outcomes.filter(({ kind }) => kind === "pending")).toHaveLength(64);
    const ids = session.pendingApprovals().map(({ approvalId }) => approvalId);
    expect(new Set(ids).size).toBe(64);
    for (const id of ids) expect(id).toMatch(/^[a-z2-9]{8}$/);
    expect(outcomes.filter((outcome) => getCode(outcome) === "TOO_MANY_APPROVALS")).toHaveLength(6);
    await session.resolveApproval(getWaitingId(session), "deny");
    expect(getCode(await act("again"))).toBe("PENDING_APPROVAL");
  });

  test("are pending in the ledger, then have their outcome", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { session, act } = await openAskingSession({ approvalTimeoutMs: 40 });
    for (const value of ["resumed", "denied", "expired"]) await act(value, value);
    const [resumed, denied] = session.pendingApprovals();
    expect(session.ledger().map(({ status }) => status)).toEqual(["pending", "pending", "pending"]);
    await session.resolveApproval(resumed!.approvalId, "allow-once");
    await session.resolveApproval(denied!.approvalId, "deny");
    await waitUntilSettled();
    vi.advanceTimersByTime(40);
    await waitUntilSettled();
    expect(session.ledger()).toMatchObject([
      { status: "completed", outcome: "ok" },
      { status: "failed", outcome: "blocked", code: "APPROVAL_DENIED" },
      { status: "failed", outcome: "blocked", code: "APPROVAL_TIMEOUT" },
    ]);
  });

  test("return pending to a tool that calls a tool, and run later", async () => {
    const ran: string[] = [];
    const outer = makeTool("outer", {
      execute: async (_id, _args, _signal, _onUpdate, context) => {
        const inner = await context.call("inner", {});
        return { content: [{ type: "text", text: inner.kind }], details: {} };
      },
    });
    const inner = makeTool("inner", {
      execute: () => {
        ran.push("inner");
        return { content: [], details: {} };
      },
    });
    const policy = createTestPolicy({ call: ({ name }) => (name === "inner" ? "ask" : "allow") });
    const session = await openSession({ tools: [outer, inner], policy });
    expect(getOutcomeText(await session.call({ name: "outer" }))).toBe("pending");
    expect(getCode(await session.resolveApproval(getWaitingId(session), "allow-once"))).toBe("ok");
    expect(ran).toEqual(["inner"]);
  });

  test("are removed by a slow store after the decision", async () => {
    const slow = createGate();
    const approvals = createStore({});
    const { addRequest } = approvals;
    approvals.addRequest = async (request) => {
      await slow.promise;
      await addRequest(request);
    };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { session, act } = await openAskingSession({ approvals });
    const call = act("a");
    // The time a store has to take a request.
    await vi.advanceTimersByTimeAsync(5_000);
    await call;
    const outcome = session.resolveApproval(getWaitingId(session), "allow-once");
    slow.resolve();
    expect(getCode(await outcome)).toBe("ok");
    expect(await approvals.requests()).toEqual([]);
  });

  test("expire at a finite time even without a limit", async () => {
    const { session, act } = await openAskingSession({ approvalTimeoutMs: Infinity });
    await act("a");
    const { requestedAt, expiresAt } = session.pendingApprovals()[0]!;
    expect(expiresAt - requestedAt).toBe(2 ** 31 - 1);
    await session.close();
  });
});

test("lets the process end despite a pending call", async () => {
  const program = join(import.meta.dirname, "../support/pending-program.ts");
  const args = ["--conditions=@haft/source", program];
  const run = promisify(execFile)(process.execPath, args, { timeout: 60_000 });
  expect((await run).stdout).toBe("pending\nok\n");
});

test.for(["wait", "pending"] as const)("waits for hours in mode %s, and not longer", async (approvalMode) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const hour = 3_600_000;
  const { session, ran, act } = await openAskingSession({ approvalMode, approvalTimeoutMs: 2 * hour });
  const watched = watch(session);
  const call = act("a", "1");
  await vi.advanceTimersByTimeAsync(2 * hour - 1);
  const [request] = session.pendingApprovals();
  expect(request!.expiresAt - request!.requestedAt).toBe(2 * hour);
  await vi.advanceTimersByTimeAsync(1);
  await call;
  const ends = watched.filter(({ type }) => type === "tool-end");
  expect(ends).toMatchObject([{ outcome: { code: "APPROVAL_TIMEOUT" } }]);
  await expect(session.resolveApproval(request!.approvalId, "allow-once")).rejects.toMatchObject({
    code: "APPROVAL_NOT_FOUND",
  });
  expect(ran).toEqual([]);
});
