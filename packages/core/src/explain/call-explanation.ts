import type { CallPlan } from "../contract/plan.ts";
import type { Decision, SessionKind } from "../contract/policy-port.ts";
import type { ExplainedStep } from "./trace.ts";

/** Everything that decides about a tool or a call in one session, without running it. */
export interface CallExplanation {
  session: { key: string; kind: SessionKind; agentId: string };
  asked: string;
  /** The tool that was meant; absent when there is none. */
  toolName?: string;
  found: "visible" | "hidden" | "broken" | "unknown";
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
    | "unknown";
  reason: string;
  fix?: string;
  /** The code of the call's error, where the boundary of the workspace decides. */
  code?: string;
  visibility?: ExplainedDecision;
  call?: ExplainedDecision;
  /** What the call would do, as far as it was worked out. */
  plan?: Required<Pick<CallPlan, "preview">> & Pick<CallPlan, "subjects">;
  /** Everything that was looked at, in order. Exactly one step decided. Hooks are named, and not asked. */
  trace: ExplainedStep[];
  nearest?: string[];
}

export type ExplainedDecision = Pick<Decision, "effect" | "id" | "reason" | "fix" | "trace" | "everyTime"> & {
  shadow?: ExplainedDecision;
};
