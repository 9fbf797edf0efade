import {
  withoutUndefined,
  type CallSubjects,
  type Decision,
  type SessionFacts,
  type SessionPolicy,
  type ToolFacts,
  type TraceStep,
} from "@haft/core";
import { decidingStep, nearestNames } from "@haft/core/internal";
import type { Catalogue } from "../rules/catalogue.ts";
import { didYouMean } from "../text/did-you-mean.ts";

/** A decision as plain JSON. */
export interface DecisionSummary extends Pick<Decision, "effect" | "id" | "reason" | "fix" | "everyTime"> {
  /** What the policy in shadow mode would have decided. */
  shadow?: DecisionSummary;
}

/** One rule that was looked at. */
export interface ExplainedStep extends TraceStep {
  /** True for the one that decided. */
  decided: boolean;
}

/** Everything the policy has to say about one tool in one session. Plain JSON. */
export type Explanation =
  | {
      /** Is there such a tool? */
      known: true;
      /** Its short name. */
      tool: string;
      /** `plugin/name`. */
      toolId: string;
      /** The session that was asked about. */
      session: SessionFacts;
      /** May the model see the tool? */
      visibility: DecisionSummary;
      /** May this call run? */
      call: DecisionSummary;
      /** Every rule that was looked at, in order. */
      trace: ExplainedStep[];
    }
  | {
      /** Is there such a tool? */
      known: false;
      /** The name that was asked about. */
      tool: string;
      /** The session that was asked about. */
      session: SessionFacts;
      /** That there is none, in one sentence. */
      reason: string;
      /** Names that were probably meant, nearest first. */
      nearest: string[];
    };

export function explainTool(
  policy: SessionPolicy,
  catalogue: Catalogue,
  facts: SessionFacts,
  toolOrName: ToolFacts | string,
  args: unknown,
  subjects?: CallSubjects,
): Explanation {
  const session = structuredClone(facts);
  if (typeof toolOrName === "string") {
    const found = catalogue.find(toolOrName);
    if (found) return explainTool(policy, catalogue, facts, found, args, subjects);
    const nearest = nearestNames(toolOrName, new Set(catalogue.tools.map(({ name }) => name)));
    const reason = `This host has no tool "${toolOrName}".${didYouMean(nearest)}`;
    return { known: false, tool: toolOrName, session, reason, nearest };
  }
  const tool = toolOrName;
  const call = policy.call(tool, args, subjects);
  const visibility = policy.visibility(tool);
  return {
    known: true,
    tool: tool.name,
    toolId: tool.id,
    session,
    visibility: asJson(visibility),
    call: asJson(call),
    trace: markDeciding(call),
  };
}

function asJson({ effect, id, reason, fix, everyTime, shadow }: Decision): DecisionSummary {
  return withoutUndefined({
    effect,
    id,
    reason,
    fix,
    everyTime,
    shadow: shadow && asJson(shadow),
  });
}

function markDeciding({ trace }: Decision): ExplainedStep[] {
  const deciding = decidingStep(trace);
  return trace.map((step) => ({ ...step, decided: step === deciding }));
}
