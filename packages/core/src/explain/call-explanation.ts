import { withoutUndefined } from "@haft/utils";
import type { CallPlan } from "../contract/plan.ts";
import type { ContainmentFacts, Decision, SessionKind, TraceStep } from "../contract/policy-port.ts";
import { findDecisiveStep } from "../kernel/stages/find-decisive-step.ts";

/**
 * Explains every decision about a tool or call in a session.
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
  /** Identifies the session. */
  session: { key: string; kind: SessionKind; agentId: string };
  /** Contains the requested name as written. */
  asked: string;
  /** Names the tool; absent if there is none. */
  toolName?: string;
  /**
   * Tells whether the tool exists: `hidden` by policy, `broken` by a failed creation, `absent` by its plugin, or `unknown` (no or several
   * matches).
   */
  found: "visible" | "hidden" | "broken" | "absent" | "unknown";
  /** Predicts the call's result. `fails`: it cannot be planned. */
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
  /** Explains the verdict in one or two sentences. */
  reason: string;
  /** Suggests the smallest change of the verdict. */
  fix?: string;
  /** Identifies the error, if the workspace's boundary decides. */
  code?: string;
  /** Contains the policy decision about the tool. */
  visibility?: ExplainedDecision;
  /** Contains the policy decision about the call. */
  call?: ExplainedDecision;
  /** Describes the call, as far as planned. */
  plan?: Required<Pick<CallPlan, "preview">> & Pick<CallPlan, "subjects">;
  /** Lists every check in order. Hooks did not run. */
  trace: ExplainedStep[];
  /** Lists similar names, unless one tool matches. */
  nearest?: string[];
}

/** Contains a decision as data, with its trace. */
export type ExplainedDecision = Pick<Decision, "effect" | "id" | "reason" | "fix" | "trace" | "everyTime"> & {
  shadow?: ExplainedDecision;
};

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

/** Returns text such as `writes in the workspace, network none`. */
export function describeContainment({ mode, network }: ContainmentFacts): string {
  const files = mode === "read-only" ? "read-only" : "writes in the workspace";
  return `${files}, network ${typeof network === "string" ? network : network.join(" ")}`;
}

/** Names the stage of a check. */
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

/** Describes one check and its stage. */
export interface ExplainedStep extends TraceStep {
  /** Names the stage. */
  stage: Stage;
  /** Tells whether this step decided. */
  decided: boolean;
}

export class Trace {
  readonly #steps: ExplainedStep[] = [];

  add(stage: Stage, step: Omit<TraceStep, "layer"> & { layer?: string }): void {
    this.#steps.push({ stage, layer: stage, ...step, decided: false });
  }

  /** Marks or creates the decisive step. */
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
