import { type Decision, withoutUndefined } from "@haft/core";
import { decidingStep } from "@haft/core/internal";
import type { Explained } from "@haft/inspector";

export function markedTrace({ effect, reason, fix, everyTime, trace }: Decision): Explained {
  const deciding = decidingStep(trace);
  return withoutUndefined<Explained>({
    effect,
    reason,
    fix,
    everyTime,
    trace: trace.map((step) => ({ ...step, decided: step === deciding })),
  });
}
