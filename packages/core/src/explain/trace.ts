import type { TraceStep } from "../contract/policy-port.ts";
import { decidingStep } from "../kernel/stages/deciding-step.ts";

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
    decidingStep(able())!.decided = true;
    return this.#steps;
  }
}
