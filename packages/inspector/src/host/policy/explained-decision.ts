import type { Decision } from "@haft/core";
import { findDecisiveStep } from "@haft/core/internal";
import { withoutUndefined } from "@haft/utils";
import type { ExplainedDecision } from "../../wire/api.ts";

export function toExplainedDecision({ effect, reason, fix, everyTime, trace }: Decision): ExplainedDecision {
  const deciding = findDecisiveStep(trace);
  return withoutUndefined<ExplainedDecision>({
    effect,
    reason,
    fix,
    everyTime,
    trace: trace.map((step) => ({ ...step, decided: step === deciding })),
  });
}
