import { describe, expect, test } from "vitest";
import type { CallPlan, Refusal } from "../../src/contract/plan.ts";
import type { Decision } from "../../src/contract/policy-port.ts";
import { refusalError } from "../../src/kernel/stages/make-plan.ts";
import { getCode, echo, openSession } from "../support/kernel.ts";

const refused: Refusal = {
  code: "OUTSIDE_WORKSPACE",
  reason: 'Cannot read "../x": it leads out.',
  fix: "Stay inside.",
};
const value = { value: "a" };

/** A tool of which the workspace would refuse what it is asked for. */
function outsideTool(plan = (): CallPlan => ({ refused })) {
  return echo("act", {
    plan,
    execute: () => {
      throw refusalError(refused);
    },
  });
}

function deciding(decisions: { visibility?: Decision["effect"]; call?: Decision["effect"] }) {
  const decide = (effect: Decision["effect"] = "allow"): Decision => ({
    effect,
    id: "d",
    reason: `${effect}.`,
    fix: "Add act to grant.",
    trace: [],
  });
  return {
    forSession: () => ({
      visibility: () => decide(decisions.visibility),
      call: () => decide(decisions.call),
    }),
  };
}

describe("a refusal of the workspace", () => {
  test("is explained before the call, with its code and fix", async () => {
    const session = await openSession({ tools: [outsideTool()] });
    const explanation = await session.explain("act", value);
    expect(explanation).toMatchObject({
      verdict: "denied",
      reason: refused.reason,
      fix: refused.fix,
      code: refused.code,
    });
    expect(explanation.trace.filter(({ decided }) => decided)).toEqual([
      {
        stage: "workspace",
        layer: "workspace",
        rule: "refuses it: OUTSIDE_WORKSPACE",
        source: "workspace",
        verdict: "deny",
        decided: true,
      },
    ]);
    expect(getCode(await session.call({ name: "act", arguments: value }))).toBe(refused.code);
  });

  test("is explained if the plan throws it", async () => {
    const throwing = outsideTool(() => {
      throw refusalError(refused);
    });
    const session = await openSession({ tools: [throwing] });
    expect(await session.explain("act", value)).toMatchObject({ verdict: "denied", code: refused.code });
  });

  test("needs no approval", async () => {
    const session = await openSession({ tools: [outsideTool()], policy: deciding({ call: "ask" }) });
    expect(await session.explain("act", value)).toMatchObject({ verdict: "denied", code: refused.code });
    const outcome = await session.call({ name: "act", arguments: value });
    expect(outcome).toMatchObject({ kind: "error", code: refused.code, category: "policy", receipt: "none" });
    expect(session.pendingApprovals()).toEqual([]);
  });

  test.each([{ call: "deny" }, { visibility: "deny" }] as const)(
    "suggests no change of a rule that would not help: %o",
    async (decisions) => {
      const session = await openSession({ tools: [outsideTool()], policy: deciding(decisions) });
      const explanation = await session.explain("act", value);
      expect(explanation.fix).toBeUndefined();
      expect(explanation.reason).toBe(`deny. The workspace would refuse it as well: ${refused.reason}`);
      expect(explanation.trace.map(({ stage }) => stage)).toContain("workspace");
      // Without arguments there is nothing to refuse.
      expect((await session.explain("act")).fix).toBe("Add act to grant.");
    },
  );
});
