import { HaftError } from "../contract/errors.ts";
import type { CallPlan, Refusal } from "../contract/plan.ts";
import type { SessionState } from "../kernel/session-state.ts";
import type { VisibleTool } from "../kernel/session-view.ts";
import { planOf } from "../kernel/stages/make-plan.ts";
import { refusalFrom } from "../kernel/stages/refusal.ts";

/** What was found in planning that keeps the call from happening. */
export interface PlanObstacle {
  refusal?: Refusal;
  thrown?: unknown;
  /** The call would not come past its plan. Otherwise it fails when it runs, after everything else. */
  early: boolean;
}

/**
 * What a call would do, and why it would not come to it whatever the rules say. Plans also where no rule needs it: then to
 * show it, and to know what the workspace will say.
 */
export async function workOutPlan(
  session: SessionState,
  tool: Pick<VisibleTool, "tool" | "facts">,
  args: Record<string, unknown>,
  { calledAs, needed = false }: { calledAs?: string | undefined; needed?: boolean } = {},
): Promise<{ plan?: CallPlan; obstacle?: PlanObstacle }> {
  try {
    const plan = await planOf(session, tool, args, calledAs);
    const refusal = plan?.refused;
    return { ...(plan && { plan }), ...(refusal && { obstacle: { refusal, early: false } }) };
  } catch (thrown) {
    const refusal = refusalFrom(thrown);
    if (refusal) return { obstacle: { refusal, early: needed } };
    // Of a plan that nobody needs, only what the call itself would fail at counts.
    const fails = needed || (HaftError.is(thrown) && thrown.category === "input");
    return fails ? { obstacle: { thrown, early: needed } } : {};
  }
}
