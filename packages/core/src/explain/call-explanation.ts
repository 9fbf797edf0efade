import { withoutUndefined } from "@haft/utils";
import type { CallPlan } from "../contract/plan.ts";
import type { ContainmentFacts, Decision, SessionKind, TraceStep } from "../contract/policy-port.ts";
import { findDecisiveStep } from "../kernel/stages/find-decisive-step.ts";

/**
 * Everything that decides about a tool or a call in one session, worked out without running it.
 *
 * @example
 * ```ts
 * import type { Session } from "@haft/core/kernel";
 *
 * export async function whyNot(session: Session, toolName: string, args: unknown): Promise<string> {
 *   const { verdict, reason, fix = "Nothing changes it." } = await session.explain(toolName, args);
 *   return verdict === "runs" ? "It runs." : `${reason} ${fix}`;
 * }
 * ```
 */
export interface CallExplanation {
  /** The session it is about. */
  session: { key: string; kind: SessionKind; agentId: string };
  /** The name in the question, as written. */
  asked: string;
  /** The name of the tool that was meant; absent if there is none. */
  toolName?: string;
  /**
   * Whether the tool is there: `hidden` by policy, `broken` if it was not made, `absent` if its plugin withholds it,
   * `unknown` if no tool or several fit.
   */
  found: "visible" | "hidden" | "broken" | "absent" | "unknown";
  /** What would happen: the call runs, is asked about, or is refused, and where. `fails`: it cannot be planned. */
  verdict:
    | "runs"
    | "asks"
    | "hidden"
    | "denied"
    | "invalid-arguments"
    | "fails"
    | "loop"
    | "broken"
    | "absent"
    | "unknown";
  /** Why, in one or two sentences. */
  reason: string;
  /** The smallest change that would reverse the verdict. */
  fix?: string;
  /** The code of the call's error, if the boundary of the workspace decides. */
  code?: string;
  /** The decision of policy about the tool. */
  visibility?: ExplainedDecision;
  /** The decision of policy about the call. */
  call?: ExplainedDecision;
  /** What the call would do, as far as it was planned. */
  plan?: Required<Pick<CallPlan, "preview">> & Pick<CallPlan, "subjects">;
  /** Every step that was checked, in order. Exactly one decided. Hooks are listed but did not run. */
  trace: ExplainedStep[];
  /** Similar names, if no tool or several have the name. */
  nearest?: string[];
}

/** A decision as plain data, with its trace. */
export type ExplainedDecision = Pick<Decision, "effect" | "id" | "reason" | "fix" | "trace" | "everyTime"> & {
  shadow?: ExplainedDecision;
};

/** Decisions compute their trace on demand; an explanation is data. */
export function plainDecision(decision: Decision): ExplainedDecision {
  const { effect, id, reason, fix, trace, everyTime, shadow } = decision;
  return withoutUndefined({
    effect,
    id,
    reason,
    trace,
    fix,
    everyTime,
    shadow: shadow && plainDecision(shadow),
  });
}

/** The view that commands of a session are contained in, in words: `writes in the workspace, network none`. */
export function describeContainment({ mode, network }: ContainmentFacts): string {
  const files = mode === "read-only" ? "read-only" : "writes in the workspace";
  return `${files}, network ${typeof network === "string" ? network : network.join(" ")}`;
}

/** A stage of a call at which something is checked. */
export type Stage =
  | "name"
  | "place"
  | "visibility"
  | "hooks"
  | "arguments"
  | "plan"
  | "policy"
  | "loop"
  | "workspace"
  | "approval";

/** One check, and the stage of the call at which it happens. */
export interface ExplainedStep extends TraceStep {
  /** The stage of the call. */
  stage: Stage;
  /** Whether this step decided. */
  decided: boolean;
}

export class Trace {
  readonly #steps: ExplainedStep[] = [];

  add(stage: Stage, step: Omit<TraceStep, "layer"> & { layer?: string }): void {
    this.#steps.push({ stage, layer: stage, ...step, decided: false });
  }

  /** The steps, of which one decided: that of this stage with this verdict. One is made of `reason` where there is none. */
  decidedBy(
    stage: Stage,
    verdict: "allow" | "deny" | "ask",
    reason: string,
    source = "kernel",
  ): ExplainedStep[] {
    const able = () => this.#steps.filter((step) => step.stage === stage && step.verdict === verdict);
    if (able().length === 0) this.add(stage, { rule: reason, source, verdict });
    findDecisiveStep(able())!.decided = true;
    return this.#steps;
  }
}
