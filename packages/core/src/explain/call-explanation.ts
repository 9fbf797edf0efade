import type { CallPlan } from "../contract/plan.ts";
import type { ContainmentFacts, Decision, SessionKind, TraceStep } from "../contract/policy-port.ts";
import { withoutUndefined } from "../contract/without-undefined.ts";
import { findDecisiveStep } from "../kernel/stages/find-decisive-step.ts";

/** Everything that decides about a tool or a call in one session, without running it. */
export interface CallExplanation {
  /** The session it is about. */
  session: { key: string; kind: SessionKind; agentId: string };
  /** The name that was asked about, as it was written. */
  asked: string;
  /** The tool that was meant; absent when there is none. */
  toolName?: string;
  /** `hidden` by policy, `broken` if it was not made, `absent` if its plugin withholds it, `unknown` if none or several fit. */
  found: "visible" | "hidden" | "broken" | "absent" | "unknown";
  /** What would happen: run, be asked about, or be refused and where. `fails`: what it would do cannot be worked out. */
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
  /** Why, in a sentence or two. */
  reason: string;
  /** The smallest change that would flip it. */
  fix?: string;
  /** The code of the call's error, where the boundary of the workspace decides. */
  code?: string;
  /** What policy says to the tool. */
  visibility?: ExplainedDecision;
  /** What policy says to the call. */
  call?: ExplainedDecision;
  /** What the call would do, as far as it was worked out. */
  plan?: Required<Pick<CallPlan, "preview">> & Pick<CallPlan, "subjects">;
  /** Everything that was looked at, in order. Exactly one step decided. Hooks are named, and not asked. */
  trace: ExplainedStep[];
  /** Names that may have been meant, where this one is nobody's or not one tool's. */
  nearest?: string[];
}

/** A decision as data. */
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

/** The point of a call's life at which something is looked at. */
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

/** One thing that was looked at, and at which point of a call's life. */
export interface ExplainedStep extends TraceStep {
  /** At which point of a call's life. */
  stage: Stage;
  /** True for the one that decides. */
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
