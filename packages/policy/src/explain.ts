import type { Decision, SessionFacts, SessionPolicy, ToolFacts, TraceStep } from "@haft/core";
import type { Catalogue } from "./catalogue.ts";

/** A decision as plain JSON. */
export interface ExplainedDecision {
  effect: Decision["effect"];
  id: string;
  reason: string;
  /** The smallest change that would give a better answer. */
  fix?: string;
}

/** One rule that was looked at. */
export interface ExplainedStep extends TraceStep {
  /** True for the one that decided. */
  decided: boolean;
}

/** Everything the policy has to say about one tool in one session. Plain JSON. */
export type Explanation =
  | {
      known: true;
      tool: string;
      toolId: string;
      session: SessionFacts;
      /** May the model see the tool? */
      visibility: ExplainedDecision;
      /** May this call run? */
      call: ExplainedDecision;
      /** Every rule that was looked at, in order. */
      trace: ExplainedStep[];
    }
  | {
      known: false;
      /** The name that was asked about. */
      tool: string;
      session: SessionFacts;
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
): Explanation {
  const { kind, agentId, model, messageChannel } = facts;
  const session = { kind, agentId, model, messageChannel };
  const tool = typeof toolOrName === "string" ? catalogue.find(toolOrName) : toolOrName;
  if (!tool) {
    const name = String(toolOrName);
    const nearest = catalogue.nearestTools(name);
    const hint = nearest.length > 0 ? ` Did you mean ${nearest.map((near) => `"${near}"`).join(" or ")}?` : "";
    return { known: false, tool: name, session, reason: `This host has no tool "${name}".${hint}`, nearest };
  }
  const call = policy.call(tool, args);
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

function asJson({ effect, id, reason, fix }: Decision): ExplainedDecision {
  return { effect, id, reason, ...(fix === undefined ? {} : { fix }) };
}

function markDeciding({ trace, effect }: Decision): ExplainedStep[] {
  const deciding = trace.findIndex((step) => step.verdict === effect);
  return trace.map((step, index) => ({ ...step, decided: index === deciding }));
}
