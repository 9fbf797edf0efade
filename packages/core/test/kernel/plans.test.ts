import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { HaftError } from "../../src/contract/errors.ts";
import type { CallPlan, CallSubjects } from "../../src/contract/plan.ts";
import type { Decision, Policy } from "../../src/contract/policy-port.ts";
import type { AnyTool, PlanContext } from "../../src/contract/tool.ts";
import { alwaysAskPolicy, openAskingSession, getWaitingId } from "../support/approvals.ts";
import {
  answer,
  getCode,
  decide,
  echo,
  makeTool,
  openSession,
  createTestPolicy,
  getOutcomeText,
  waitUntilSettled,
  createThrower,
} from "../support/kernel.ts";

/** A tool that counts how often it was asked for a plan. */
function planner(plan: AnyTool["plan"] & {}, parts: Partial<AnyTool> = {}) {
  const counts = { plans: 0, runs: 0 };
  const tool = echo("act", {
    plan: (...given) => {
      counts.plans++;
      return plan(...given);
    },
    execute: (_id, { value }: { value: string }) => {
      counts.runs++;
      return answer(value);
    },
    ...parts,
  });
  return { tool, counts };
}

/** Decides by subjects, and says so; `stricter` is its answer without them. */
function bySubjects(
  rule: (subjects: CallSubjects) => Decision["effect"],
  stricter: Decision["effect"] = "ask",
): Policy {
  const session = {
    visibility: () => decide("allow"),
    call: (_tool: unknown, _args: unknown, subjects?: CallSubjects) =>
      decide(subjects === undefined ? stricter : rule(subjects)),
    needsSubjects: () => true,
  };
  return { forSession: () => session };
}

const act = { name: "act", arguments: { value: "a" } };

describe("a plan is made", () => {
  test("for no call that does not depend on it", async () => {
    for (const effect of ["allow", "deny"] as const) {
      const { tool, counts } = planner(() => ({}));
      let asked = 0;
      const policy = createTestPolicy({ call: () => (++asked > 0 ? effect : "deny") });
      await (await openSession({ tools: [tool], policy })).call(act);
      expect(counts.plans).toBe(0);
      // And the rules are gone through once.
      expect(asked).toBe(1);
    }
  });

  test("for consent, which is requested despite rules, and which the tool gets", async () => {
    const seen: unknown[] = [];
    const consent = [{ place: "/w/.envrc", reason: "It starts programs." }];
    const tool = echo("act", {
      wantsPlan: async (_params: unknown, { workspace }: PlanContext) => workspace.describe().cwd !== "",
      plan: () => ({ consent }),
      execute: (_id, { value }: { value: string }, _signal, _update, context) => {
        seen.push(context.consent);
        return answer(value);
      },
    });
    const session = await openSession({
      tools: [tool],
      policy: createTestPolicy({}),
      approvalMode: "pending",
    });
    expect(getCode(await session.call(act))).toBe("PENDING_APPROVAL");
    expect(getCode(await session.resolveApproval(getWaitingId(session), "allow-once"))).toBe("ok");
    expect(seen).toEqual([["/w/.envrc"]]);
    const alone = await openSession({ tools: [tool], policy: createTestPolicy({}), approvalMode: "deny" });
    expect(await alone.call(act)).toMatchObject({ code: "APPROVAL_UNAVAILABLE", receipt: "none" });
    const denied = await openSession({ tools: [tool], policy: createTestPolicy({ call: () => "deny" }) });
    expect(getCode(await denied.call(act))).toBe("POLICY_DENIED");
    expect(seen).toHaveLength(1);
  });

  test("once for a rule, a person or a hook", async () => {
    const setups = [
      { policy: alwaysAskPolicy },
      { policy: bySubjects(() => "allow") },
      { hooks: [{ name: "h", beforeToolCall: () => ({ ask: "Look." }) }] },
    ];
    for (const setup of setups) {
      const { tool, counts } = planner(() => ({}));
      const session = await openSession({ tools: [tool], ...setup });
      if (getCode(await session.call(act)) !== "ok") {
        expect(getCode(await session.resolveApproval(getWaitingId(session), "allow-once"))).toBe("ok");
      }
      expect(counts).toEqual({ plans: 1, runs: 1 });
    }
  });

  test("if the call requests it, or if the tool fails to decide", async () => {
    const cases: [() => unknown, number][] = [
      [() => true, 1],
      [() => false, 0],
      [() => undefined, 0],
      [() => Promise.resolve(false), 0],
      [() => Promise.resolve(true), 1],
      [() => Promise.reject(new Error("no")), 1],
      [createThrower(new Error("no")), 1],
    ];
    for (const [wantsPlan, plans] of cases) {
      const { tool, counts } = planner(() => ({}), { wantsPlan: wantsPlan as () => boolean });
      const session = await openSession({ tools: [tool] });
      expect(getCode(await session.call(act))).toBe("ok");
      expect(counts).toEqual({ plans, runs: 1 });
    }
  });

  test("only for valid arguments", async () => {
    const { tool, counts } = planner(() => ({}));
    const session = await openSession({ tools: [tool], policy: alwaysAskPolicy });
    expect((await session.call({ name: "act", arguments: {} })).kind).toBe("error");
    expect(counts.plans).toBe(0);
  });
});

describe("a plan", () => {
  test("that throws fails the call like the tool, and nothing runs", async () => {
    const error = new HaftError("FILE_NOT_FOUND", "There is no a.", {
      category: "input",
      fix: "List the folder.",
    });
    const { tool, counts } = planner(createThrower(error));
    const session = await openSession({ tools: [tool], policy: alwaysAskPolicy });
    const outcome = await session.call(act);
    expect(outcome).toMatchObject({ kind: "error", code: "FILE_NOT_FOUND", receipt: "none" });
    expect(session.pendingApprovals()).toEqual([]);
    expect(counts.runs).toBe(0);
  });

  test("that throws reveals no files to a sender who may not make the call", async () => {
    for (const exists of [true, false]) {
      const { tool } = planner(() => {
        if (!exists) throw new HaftError("FILE_NOT_FOUND", "There is no a.", { category: "input" });
        return { subjects: {} };
      });
      const session = await openSession({ tools: [tool], policy: bySubjects(() => "deny", "deny") });
      expect(getCode(await session.call(act))).toBe("POLICY_DENIED");
    }
  });

  test.for(["throws", "hangs"] as const)("that %s during an abort leads to a cancelled call", async (way) => {
    let received: AbortSignal | undefined;
    const { tool, counts } = planner(async (_args, _context, signal) => {
      received = signal;
      if (way === "hangs") return new Promise<never>(() => {});
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw new Error("stopped");
    });
    const session = await openSession({ tools: [tool], policy: alwaysAskPolicy });
    const outcome = session.call({ ...act, id: "1" });
    await waitUntilSettled();
    session.abort("1");
    expect(await outcome).toMatchObject({ kind: "cancelled", receipt: "none" });
    expect(received!.aborted).toBe(true);
    expect(counts.runs).toBe(0);
    expect(session.ledger()).toMatchObject([{ outcome: "cancelled" }]);
  });

  test("can change only a copy of its arguments", async () => {
    const tool = makeTool("act", {
      parameters: Type.Object({ items: Type.Array(Type.String()) }),
      plan: (args) => {
        const { items } = args;
        items.push("rm");
        items[0] = "rm";
        return { data: items };
      },
      execute: (_id, { items }) => answer(items.join()),
    });
    const seen: unknown[] = [];
    const policy = createTestPolicy({
      call: (_tool, args) => (seen.push(structuredClone(args)) > 0 ? "ask" : "deny"),
    });
    const session = await openSession({ tools: [tool], policy });
    await session.call({ name: "act", arguments: { items: ["ls"] } });
    expect(session.pendingApprovals()).toMatchObject([{ args: { items: ["ls"] } }]);
    expect(getOutcomeText(await session.resolveApproval(getWaitingId(session), "allow-once"))).toBe("ls");
    expect(seen).toEqual([{ items: ["ls"] }, { items: ["ls"] }]);
  });

  test("cannot change the preview after it was shown", async () => {
    const preview: { type: "text"; text: string }[] = [{ type: "text", text: "rm -rf ." }];
    const { session, act: run } = await openAskingSession({ tool: { plan: () => ({ preview }) } });
    await run("a");
    preview[0]!.text = "ls";
    expect(session.pendingApprovals()).toMatchObject([{ preview: [{ text: "rm -rf ." }] }]);
  });

  test("counts as missing if it returns nothing", async () => {
    const { tool } = planner(() => undefined);
    const session = await openSession({ tools: [tool], policy: bySubjects(() => "allow", "ask") });
    expect(getCode(await session.call(act))).toBe("PENDING_APPROVAL");
    expect(session.pendingApprovals()[0]!.preview).toMatchObject([
      { text: expect.stringContaining('"value": "a"') },
    ]);
  });
});

describe("subjects", () => {
  test("reach policy, which can allow, ask and deny by them", async () => {
    const cases = [
      ["src/a.ts", "ok"],
      ["docs/a.md", "PENDING_APPROVAL"],
      [".env", "POLICY_DENIED"],
    ] as const;
    const policy = bySubjects(({ paths }) => {
      const { relative } = paths![0]!;
      return relative === ".env" ? "deny" : relative.startsWith("src/") ? "allow" : "ask";
    });
    const { tool } = planner(({ value }) => ({
      subjects: { paths: [{ path: `/work/${value}`, relative: value, access: "write" }] },
    }));
    const session = await openSession({ tools: [tool], policy });
    for (const [value, code] of cases) {
      expect(getCode(await session.call({ name: "act", arguments: { value } }))).toBe(code);
    }
  });
});

describe("the data of a plan", () => {
  const passing = (parts: Partial<AnyTool> = {}): AnyTool =>
    echo("act", {
      plan: ({ value }: { value: string }): CallPlan => ({ data: { planned: value } }),
      execute: (_id, _args, _signal, _onUpdate, { plan }) => answer(JSON.stringify(plan ?? null)),
      ...parts,
    });

  test("reaches its own call, also with parallel calls", async () => {
    const session = await openSession({ tools: [passing()], policy: alwaysAskPolicy });
    const values = ["a", "b", "c"];
    await Promise.all(values.map((value) => session.call({ name: "act", arguments: { value } })));
    const outcomes = await Promise.all(
      session.pendingApprovals().map(({ approvalId }) => session.resolveApproval(approvalId, "allow-once")),
    );
    expect(outcomes.map(getOutcomeText).toSorted()).toEqual(values.map((value) => `{"planned":"${value}"}`));
  });

  test("is missing for a call without a plan", async () => {
    const session = await openSession({ tools: [passing()] });
    expect(getOutcomeText(await session.call(act))).toBe("null");
  });

  test("differs from the data of the outer call", async () => {
    const outer = makeTool("outer", {
      plan: () => ({ data: "outer" }),
      execute: async (_id, _args, _signal, _onUpdate, context) => {
        const inner = await context.call("act", { value: "b" });
        return answer(`${String(context.plan)} ${getOutcomeText(inner)}`);
      },
    });
    const session = await openSession({
      tools: [outer, passing()],
      policy: bySubjects(() => "allow", "allow"),
    });
    const policyNeedsNone = await openSession({ tools: [outer, passing()] });
    expect(getOutcomeText(await policyNeedsNone.call({ name: "outer" }))).toBe("undefined null");
    const planned = await session.call({ name: "outer" });
    expect(getOutcomeText(planned)).toBe('outer {"planned":"b"}');
  });

  test("is made with the name that the model used", async () => {
    const seen: string[] = [];
    const tool = passing({
      otherNames: { host_workspace_act: { target: "host" } },
      plan: (_args: unknown, { toolName }: PlanContext) => {
        seen.push(toolName);
        return {};
      },
    });
    const session = await openSession({ tools: [tool], policy: alwaysAskPolicy });
    await session.call({ name: "host_workspace_act", arguments: { value: "a" } });
    await session.explain("host_workspace_act", { value: "b" });
    await session.call(act);
    expect(seen).toEqual(["host_workspace_act", "host_workspace_act", "act"]);
  });
});

describe("rules for a sender", () => {
  const forBob: Policy = {
    forSession: ({ sender }) => ({
      visibility: () => decide("allow"),
      call: ({ name }) =>
        decide(typeof sender === "object" && sender.id === "bob" && name === "act" ? "deny" : "allow"),
    }),
  };

  test("apply to the calls of a tool for the sender", async () => {
    const outer = makeTool("outer", {
      execute: async (_id, _args, _signal, _onUpdate, context) =>
        answer(getCode(await context.call("act", { value: "a" }))),
    });
    const session = await openSession({ tools: [outer, echo("act")], policy: forBob });
    expect(getOutcomeText(await session.call({ name: "outer" }, { sender: { id: "ann" } }))).toBe("ok");
    expect(getOutcomeText(await session.call({ name: "outer" }, { sender: { id: "bob" } }))).toBe(
      "POLICY_DENIED",
    );
  });
});
