import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { createMemoryApprovals } from "../../src/approvals/memory-approvals.ts";
import { HaftError } from "../../src/contract/errors.ts";
import type { CallSubjects } from "../../src/contract/plan.ts";
import type { Decision, Policy, TraceStep } from "../../src/contract/policy-port.ts";
import type { ToolOutcome } from "../../src/contract/result.ts";
import type { CallExplanation } from "../../src/explain/call-explanation.ts";
import { refusalError } from "../../src/kernel/stages/make-plan.ts";
import type { SessionEnvironment } from "../../src/session/session-options.ts";
import { alwaysAskPolicy, getWaitingId } from "../support/approvals.ts";
import {
  answer,
  getCode,
  decide,
  echo,
  factoryPlugin,
  openSession,
  createTestPolicy,
  createThrower,
} from "../support/kernel.ts";

/** What a call's outcome has to be, for each verdict. */
const MEANS: Record<CallExplanation["verdict"], (outcome: ToolOutcome) => boolean> = {
  runs: ({ kind }) => kind === "ok",
  asks: ({ kind }) => kind === "pending",
  hidden: (outcome) => getCode(outcome) === "POLICY_DENIED",
  denied: (outcome) =>
    (outcome.kind === "error" && outcome.category === "policy") ||
    /^(?:POLICY_DENIED|WRONG_PLACE|APPROVAL_UNAVAILABLE|APPROVAL_TOO_LONG|APPROVAL_WAITING|TOO_MANY_APPROVALS)$/.test(
      getCode(outcome),
    ),
  "invalid-arguments": (outcome) => outcome.kind === "error" && outcome.category === "input",
  fails: (outcome) => outcome.kind === "error",
  loop: (outcome) => /^(?:LOOP_|DUPLICATE_CALL)/.test(getCode(outcome)),
  broken: (outcome) => getCode(outcome) === "TOOL_UNAVAILABLE",
  absent: (outcome) => getCode(outcome) === "TOOL_UNAVAILABLE",
  unknown: (outcome) => getCode(outcome) === "UNKNOWN_TOOL",
};

function decidedOf({ trace }: CallExplanation) {
  return trace.filter(({ decided }) => decided);
}

type Effect = Decision["effect"];

/** A rule for each value of the argument, with and without subjects, each with a trace of its own. */
interface Rules {
  visibility: Effect;
  byValue: Record<
    string,
    { effect: Effect; withSubjects: Effect; everyTime: boolean; steps: TraceStep["verdict"][] }
  >;
  needsSubjects: boolean;
}

function policyFrom({ visibility, byValue, needsSubjects }: Rules): Policy {
  const session = {
    visibility: () => decide(visibility),
    call(_tool: unknown, args: unknown, subjects?: CallSubjects): Decision {
      const rule = byValue[(args as { value?: string } | undefined)?.value ?? "a"]!;
      const effect = subjects === undefined ? rule.effect : rule.withSubjects;
      const trace = rule.steps.map((verdict, index) => ({
        layer: index % 2 ? "deny" : "allow",
        rule: `${index}`,
        source: "s",
        verdict,
      }));
      return {
        ...decide(effect),
        trace,
        ...(rule.everyTime && effect === "ask" ? { everyTime: "always" } : {}),
      };
    },
    needsSubjects: () => needsSubjects,
  };
  return { forSession: () => session };
}

const effects = fc.constantFrom<Effect>("allow", "allow", "ask", "ask", "deny");
const values = ["a", "b", "c"];
const rule = fc.record({
  effect: effects,
  withSubjects: effects,
  everyTime: fc.boolean(),
  steps: fc.array(fc.constantFrom<TraceStep["verdict"]>("allow", "ask", "deny", "pass"), { maxLength: 5 }),
});
const rules: fc.Arbitrary<Rules> = fc.record({
  visibility: fc.constantFrom<Effect>("allow", "allow", "allow", "deny"),
  byValue: fc.record({ a: rule, b: rule, c: rule }),
  needsSubjects: fc.boolean(),
});
const plans = fc.constantFrom(
  "none",
  "nothing",
  "subjects",
  "programs",
  "no always",
  "throws",
  "wants",
  "wants, throws",
  "wants, consent",
  "consent",
  "refused",
  "forbids",
  "bad input",
);
const steps = fc.array(
  fc.record({
    value: fc.constantFrom<unknown>(...values, ...values, 1, undefined),
    name: fc.constantFrom(
      "act",
      "act",
      "act",
      "act",
      "Act",
      "sandboxed_act",
      "host_act",
      "nothing",
      "broken",
      "withheld",
    ),
    next: fc.constantFrom("allow-once", "allow-always", "program", "deny", "wait", "wait"),
  }),
  { minLength: 1, maxLength: 20 },
);
const setups = fc.record({
  rules,
  plan: plans,
  mode: fc.constantFrom<NonNullable<SessionEnvironment["approvalMode"]>>("pending", "pending", "deny"),
  suppress: fc.boolean(),
  guard: fc.boolean(),
  steps,
});

const outside = { code: "OUTSIDE_WORKSPACE", reason: "it leads outside", fix: "Stay inside." };

function makeAct(plan: string, suppress: boolean, count: () => void) {
  const subjects: CallSubjects = { action: "x" };
  const consent = [{ place: "/w/.vscode", reason: "It starts programs." }];
  const program = { kind: "program" as const, key: "/bin/act", summary: "act" };
  const wantsPlan = plan.startsWith("wants") ? { wantsPlan: async () => true } : {};
  const made = {
    wants: () => ({ subjects }),
    "wants, consent": () => ({ subjects, consent }),
    consent: () => ({ subjects, consent }),
    "wants, throws": createThrower(new Error("cannot be planned")),
    nothing: () => undefined,
    subjects: () => ({ subjects }),
    programs: () => ({ subjects, programs: [program] }),
    "no always": () => ({ subjects, noAlways: "unclear" }),
    throws: createThrower(new Error("cannot be planned")),
    refused: () => ({ subjects, refused: outside }),
    forbids: () => {
      throw refusalError(outside);
    },
    "bad input": createThrower(new HaftError("NO_FOLDER", "there is no such folder", { category: "input" })),
  }[plan];
  return echo("act", {
    effects: ["write"],
    otherNames: { sandboxed_act: { target: "sandbox" }, host_act: { target: "host" } },
    progress: { identicalRepeat: suppress ? "suppress" : "run" },
    ...wantsPlan,
    ...(made === undefined ? {} : { plan: made }),
    execute: (_id, { value }) => {
      // A tool fails as its plan says.
      if (plan === "refused" || plan === "forbids") throw refusalError(outside);
      if (plan === "bad input") throw new HaftError("NO_FOLDER", "no", { category: "input" });
      count();
      return answer(String(value));
    },
  });
}

const broken = factoryPlugin("b", ["broken"], createThrower(new Error("no")));

const withheld = factoryPlugin("w", ["withheld"], () => null);

property.prop([setups], { numRuns: scaleRuns(300, 5) })(
  "explain says what call then does, and does nothing itself",
  async (setup) => {
    let runs = 0;
    const tool = makeAct(setup.plan, setup.suppress, () => runs++);
    const approvals = createMemoryApprovals();
    const session = await openSession({
      tools: [tool],
      plugins: [broken, withheld],
      policy: policyFrom(setup.rules),
      approvals,
      approvalMode: setup.mode,
      loopGuard: setup.guard ? { repeat: { warn: 2, block: 3 }, breaker: 6 } : false,
    });
    for (const { value, name, next } of setup.steps) {
      const args = value === undefined ? {} : { value };
      const state = async () =>
        JSON.stringify([runs, session.ledger(), await approvals.allGrants(), await approvals.requests()]);
      const before = await state();
      const explanation = await session.explain(name, args);
      expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
      const tool = await session.explain(name);
      expect(await state()).toBe(before);
      expect(decidedOf(explanation)).toHaveLength(1);
      expect(decidedOf(tool)).toHaveLength(1);

      const outcome = await session.call({ name, arguments: args });
      const means = MEANS[explanation.verdict];
      if (explanation.code !== undefined) expect(getCode(outcome)).toBe(explanation.code);
      expect([explanation.verdict, getCode(outcome), means(outcome)]).toEqual([
        explanation.verdict,
        getCode(outcome),
        true,
      ]);
      if (outcome.kind !== "pending" || next === "wait") continue;
      const decision =
        next === "program"
          ? ({ decision: "allow-always", grant: "program" } as const)
          : (next as "allow-once");
      await session.resolveApproval(outcome.approvalId, decision).catch((thrown: unknown) => {
        expect(thrown).toMatchObject({ code: "INVALID_DECISION" });
        return session.resolveApproval(outcome.approvalId, "allow-once");
      });
    }
    await session.close();
  },
);

describe("the decisive step", () => {
  const decided = async (explanation: Promise<CallExplanation>) => {
    const { verdict, trace } = await explanation;
    const all = trace.filter((step) => step.decided);
    expect(all).toHaveLength(1);
    return [verdict, all[0]!.stage, all[0]!.verdict];
  };
  const value = { value: "a" };

  test("exists for each verdict", async () => {
    const open = (setup: Parameters<typeof openSession>[0]) =>
      openSession({ tools: [makeAct("none", true, () => {})], plugins: [broken, withheld], ...setup });
    const free = await open({});
    expect(await decided(free.explain("act", value))).toEqual(["runs", "policy", "allow"]);
    expect(await decided(free.explain("act"))).toEqual(["runs", "policy", "allow"]);
    expect(await decided(free.explain("act", {}))).toEqual(["invalid-arguments", "arguments", "deny"]);
    expect(await decided(free.explain("sandboxed_act", value))).toEqual(["denied", "place", "deny"]);
    expect(await decided(free.explain("broken"))).toEqual(["broken", "name", "deny"]);
    expect(await decided(free.explain("withheld"))).toEqual(["absent", "name", "deny"]);
    expect(await decided(free.explain("nothing"))).toEqual(["unknown", "name", "deny"]);
    await free.call({ name: "act", arguments: value });
    expect(await decided(free.explain("act", value))).toEqual(["loop", "loop", "deny"]);

    const hiding = await open({ policy: createTestPolicy({ visibility: () => "deny" }) });
    expect(await decided(hiding.explain("act", value))).toEqual(["hidden", "visibility", "deny"]);
    const denying = await open({ policy: createTestPolicy({ call: () => "deny" }) });
    expect(await decided(denying.explain("act", value))).toEqual(["denied", "policy", "deny"]);
    const headless = await open({ policy: alwaysAskPolicy, approvalMode: "deny" });
    expect(await decided(headless.explain("act", value))).toEqual(["denied", "approval", "deny"]);
    expect(await decided(headless.explain("act"))).toEqual(["denied", "approval", "deny"]);
    const failing = await openSession({
      tools: [makeAct("throws", true, () => {})],
      policy: alwaysAskPolicy,
    });
    expect(await decided(failing.explain("act", value))).toEqual(["fails", "plan", "deny"]);
    const asks = await open({ policy: alwaysAskPolicy });
    expect(await decided(asks.explain("act", value))).toEqual(["asks", "policy", "ask"]);
    await asks.call({ name: "act", arguments: value });
    await asks.resolveApproval(getWaitingId(asks), "allow-always");
    const again = await openSession({ tools: [makeAct("none", false, () => {})], policy: alwaysAskPolicy });
    await again.call({ name: "act", arguments: value });
    expect(await decided(again.explain("act", value))).toEqual(["denied", "approval", "deny"]);
    await again.resolveApproval(getWaitingId(again), "allow-always");
    expect(await decided(again.explain("act", value))).toEqual(["runs", "approval", "allow"]);
  });

  test("is not a rule with another verdict", async () => {
    const trace: TraceStep[] = [
      { layer: "deny", rule: "shadowed", source: "s", verdict: "deny" },
      { layer: "allow", rule: "yes", source: "s", verdict: "allow" },
    ];
    const decision: Decision = { ...decide("allow"), trace };
    const policy = { forSession: () => ({ visibility: () => decision, call: () => decision }) };
    const session = await openSession({ tools: [echo()], policy });
    const explanation = await session.explain("echo", value);
    expect(decidedOf(explanation)).toMatchObject([{ rule: "yes" }]);
  });
});

describe("an explanation", () => {
  test("reports a failed plan only if the call would fail as well", async () => {
    const free = await openSession({ tools: [makeAct("throws", false, () => {})] });
    expect(await free.explain("act", { value: "a" })).toMatchObject({ verdict: "runs" });
    const denied = await openSession({
      tools: [makeAct("throws", false, () => {})],
      policy: policyFrom({
        visibility: "allow",
        byValue: { a: { effect: "deny", withSubjects: "allow", everyTime: false, steps: [] } },
        needsSubjects: true,
      }),
    });
    expect(await denied.explain("act", { value: "a" })).toMatchObject({ verdict: "denied" });
  });
});
