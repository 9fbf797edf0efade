import { fc } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { createMemoryApprovals } from "../../src/approvals/memory-approvals.ts";
import type { Decision, Policy } from "../../src/contract/policy-port.ts";
import type { Session } from "../../src/session/session.ts";
import {
  createActCall,
  createActTool,
  alwaysAskPolicy,
  askEveryTimePolicy,
  createStore,
  getWaitingId,
} from "../support/approvals.ts";
import {
  answer,
  getCode,
  decide,
  createGate,
  makeFactory,
  makeTool,
  createTestPolicy,
  getOutcomeText,
  waitUntilSettled,
  stubWorkspace,
} from "../support/kernel.ts";
import { allowPolicy, denyPolicy, hidePolicy, openWithPolicy } from "../support/replaced-policy.ts";

// Whatever a session is in the middle of: what begins after the policy was replaced begins by the new one.

function names(session: Session): string[] {
  return session.tools().map(({ name }) => name);
}

describe("the next call after a replacement", () => {
  test("obeys the new policy, as do the tools and explanations of the session", async () => {
    const { factory, session, act, ran } = await openWithPolicy(allowPolicy);
    expect(getCode(await act("a"))).toBe("ok");
    factory.replacePolicy(hidePolicy);
    expect(names(session)).toEqual([]);
    expect(session.missing()).toMatchObject([{ name: "act", code: "POLICY_DENIED" }]);
    expect(await session.explain("act", { value: "b" })).toMatchObject({ verdict: "hidden" });
    expect(getCode(await act("b"))).toBe("POLICY_DENIED");
    factory.replacePolicy(allowPolicy);
    expect(names(session)).toEqual(["act"]);
    expect(getCode(await act("c"))).toBe("ok");
    expect(ran).toEqual(["a", "c"]);
  });

  test("obeys the new policy in a session opened before, during or after it", async () => {
    const past = createGate<[]>();
    const store = { load: () => past.promise, append: async () => {} } as never;
    const { tool } = createActTool();
    const factory = makeFactory({ tools: [tool], store });
    const opening = factory.open({ kind: "main", workspace: stubWorkspace() });
    await waitUntilSettled();
    factory.replacePolicy(denyPolicy);
    past.resolve([]);
    for (const session of [await opening, await factory.open({ kind: "main", workspace: stubWorkspace() })])
      expect(getCode(await createActCall(session)("a"))).toBe("POLICY_DENIED");
  });

  test("obeys the new rules for its sender", async () => {
    const forTheSystem = (effect: Decision["effect"]): Policy => ({
      forSession: ({ sender }) => ({
        visibility: () => decide("allow"),
        call: () => decide(sender === "system" ? effect : "allow"),
      }),
    });
    const { factory, session } = await openWithPolicy(forTheSystem("allow"));
    const call = () =>
      session.call({ name: "act", arguments: { value: "x" } }, { sender: "system" }).then(getCode);
    expect(await call()).toBe("ok");
    factory.replacePolicy(forTheSystem("deny"));
    expect(await call()).toBe("POLICY_DENIED");
  });

  test("is still refused in a closed session", async () => {
    const { factory, session, act } = await openWithPolicy(denyPolicy);
    await session.close();
    factory.replacePolicy(allowPolicy);
    expect(getCode(await act("a"))).toBe("SESSION_CLOSED");
  });

  test("fails if the policy fails, and obeys the next policy", async () => {
    const { factory, session, act, ran } = await openWithPolicy(allowPolicy);
    factory.replacePolicy({
      forSession() {
        throw new Error("no rules");
      },
    });
    expect(await act("a")).toMatchObject({ kind: "error", code: "INTERNAL" });
    factory.replacePolicy(allowPolicy);
    expect(getCode(await act("b"))).toBe("ok");
    expect(ran).toEqual(["b"]);
    await session.close();
  });
});

describe("a running call", () => {
  test("continues with its decision, and its inner calls are evaluated anew", async () => {
    const entered = createGate();
    const go = createGate();
    const outer = makeTool("outer", {
      async execute(_id, _params, _signal, _update, context) {
        entered.resolve();
        await go.promise;
        return answer(getCode(await context.call("act", { value: "inner" })));
      },
    });
    const { tool, ran } = createActTool();
    const { factory, session } = await openWithPolicy(allowPolicy, { tools: [outer, tool] });
    const running = session.call({ id: "1", name: "outer", arguments: {} });
    await entered.promise;
    factory.replacePolicy(denyPolicy);
    go.resolve();
    expect(getOutcomeText(await running)).toBe("POLICY_DENIED");
    expect(ran).toEqual([]);
    expect(session.ledger()[0]).toMatchObject({ toolCallId: "1", outcome: "ok", decisionId: "test-allow" });
  });
});

describe("a decided call that has not begun", () => {
  test.for([
    ["denied", denyPolicy, "POLICY_DENIED"],
    ["hidden", hidePolicy, "POLICY_DENIED"],
    ["asked about", alwaysAskPolicy, "PENDING_APPROVAL"],
    ["still allowed", createTestPolicy(), "ok"],
  ] as const)("is %s in a hook", async ([, policy, code]) => {
    const entered = createGate();
    const go = createGate();
    const hook = {
      name: "slow",
      async beforeToolCall() {
        entered.resolve();
        await go.promise;
        return undefined;
      },
    };
    const { factory, ran, act } = await openWithPolicy(allowPolicy, { hooks: [hook] });
    const called = act("a");
    await entered.promise;
    factory.replacePolicy(policy);
    go.resolve();
    expect(getCode(await called)).toBe(code);
    expect(ran).toEqual(code === "ok" ? ["a"] : []);
  });

  test("is denied while it is planned, and the plan serves rules that need it", async () => {
    const entered = createGate();
    const go = createGate();
    let plans = 0;
    const { tool, ran } = createActTool({
      async plan() {
        plans++;
        entered.resolve();
        await go.promise;
        return { subjects: { paths: [{ path: "/secret", relative: "/secret", access: "read" }] } };
      },
    });
    const looking = (effect: Decision["effect"]): Policy => ({
      forSession: () => ({
        visibility: () => decide("allow"),
        needsSubjects: () => true,
        call: (_tool, _args, subjects) =>
          decide(subjects?.paths?.some(({ path }) => path === "/secret") ? effect : "deny"),
      }),
    });
    const { factory, session } = await openWithPolicy(looking("allow"), { tools: [tool] });
    const called = createActCall(session)("a");
    await entered.promise;
    factory.replacePolicy(looking("deny"));
    go.resolve();
    expect(getCode(await called)).toBe("POLICY_DENIED");
    expect([ran, plans]).toEqual([[], 1]);
  });

  test("gets a plan if the new rules need it", async () => {
    const entered = createGate();
    const go = createGate();
    const hook = {
      name: "slow",
      async beforeToolCall() {
        entered.resolve();
        await go.promise;
        return undefined;
      },
    };
    const { tool, ran } = createActTool({ plan: async () => ({ subjects: { hosts: ["a.example.com"] } }) });
    const looking: Policy = {
      forSession: () => ({
        visibility: () => decide("allow"),
        needsSubjects: () => true,
        call: (_tool, _args, subjects) =>
          decide(subjects?.hosts?.includes("a.example.com") === true ? "allow" : "deny"),
      }),
    };
    const { factory, session } = await openWithPolicy(allowPolicy, { tools: [tool], hooks: [hook] });
    const called = createActCall(session)("a");
    await entered.promise;
    factory.replacePolicy(looking);
    go.resolve();
    expect(getCode(await called)).toBe("ok");
    expect(ran).toEqual(["a"]);
  });

  test("is not shown for approval under old rules while its grants are read", async () => {
    const entered = createGate();
    const go = createGate();
    const requests: string[] = [];
    const memory = createMemoryApprovals();
    const approvals = createStore({
      async grants() {
        entered.resolve();
        await go.promise;
        return [];
      },
      addRequest: async (request) => {
        requests.push(request.approvalId);
        await memory.addRequest(request);
      },
    });
    const { factory, ran, act, session } = await openWithPolicy(alwaysAskPolicy, { approvals });
    const called = act("a");
    await entered.promise;
    factory.replacePolicy(denyPolicy);
    go.resolve();
    expect(getCode(await called)).toBe("POLICY_DENIED");
    expect([ran, requests, session.pendingApprovals()]).toEqual([[], [], []]);
  });

  test("keeps its grants, which count under the new rules", async () => {
    const approvals = createMemoryApprovals();
    const { factory, act, ran, session } = await openWithPolicy(alwaysAskPolicy, {
      approvals,
      open: { sessionKey: "s" },
    });
    await act("a");
    await session.resolveApproval(getWaitingId(session), "allow-always");
    expect(getCode(await act("a"))).toBe("ok");
    factory.replacePolicy(askEveryTimePolicy);
    expect(getCode(await act("a"))).toBe("PENDING_APPROVAL");
    factory.replacePolicy(alwaysAskPolicy);
    // Nobody is asked twice about the same: the one that waits does.
    expect(getCode(await act("b"))).toBe("PENDING_APPROVAL");
    expect(await session.grants()).toHaveLength(1);
    expect(ran).toEqual(["a", "a"]);
  });
});

test("begins no call that the policy in force forbids, in any order of events", async () => {
  const effects = ["allow", "ask", "deny"] as const;
  type Effect = (typeof effects)[number];
  const step = fc.oneof(
    fc.record({ kind: fc.constant("call" as const), value: fc.constantFrom("a", "b", "c") }),
    fc.record({
      kind: fc.constant("replace" as const),
      effect: fc.array(fc.constantFrom(...effects), { minLength: 3, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant("answer" as const),
      decision: fc.constantFrom("allow-once", "allow-always", "deny"),
    }),
    fc.record({ kind: fc.constant("wait" as const), turns: fc.nat(3) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      let inForce: Record<string, Effect> = { a: "ask", b: "allow", c: "ask" };
      const began: { value: string; effect: Effect }[] = [];
      const policyNow = (rules: Record<string, Effect>) =>
        createTestPolicy({ call: (_tool, args) => rules[(args as { value: string }).value]! });
      const { tool } = createActTool({
        execute: (_id, { value }: { value: string }) => {
          began.push({ value, effect: inForce[value]! });
          return answer(value);
        },
      });
      const hook = {
        name: "slow",
        beforeToolCall: () => new Promise<undefined>((go) => setImmediate(() => go(undefined))),
      };
      const { factory, session } = await openWithPolicy(policyNow(inForce), {
        tools: [tool],
        hooks: [hook],
        loopGuard: false,
      });
      const ended: Promise<unknown>[] = [];
      for (const one of steps) {
        if (one.kind === "call") ended.push(createActCall(session)(one.value));
        else if (one.kind === "replace") {
          inForce = { a: one.effect[0]!, b: one.effect[1]!, c: one.effect[2]! };
          factory.replacePolicy(policyNow(inForce));
        } else if (one.kind === "answer") {
          const [waiting] = session.pendingApprovals();
          if (waiting !== undefined)
            ended.push(session.resolveApproval(waiting.approvalId, one.decision as "deny").catch(() => {}));
        } else for (let turn = 0; turn < one.turns; turn++) await new Promise((go) => setImmediate(go));
      }
      await Promise.all(ended);
      await session.close();
      expect(began.filter(({ effect }) => effect === "deny")).toEqual([]);
      // Every call has an end in the books.
      expect(session.ledger().filter(({ status }) => status !== "completed" && status !== "failed")).toEqual(
        [],
      );
    }),
    { numRuns: scaleRuns(60, 3) },
  );
});
