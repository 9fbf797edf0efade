import type { Decision, TraceStep } from "../../contract/policy-port.ts";

/** Order: a deny rule, any other denial, the first `ask`, the first `allow`. */
export function findDecisiveStep<Step extends TraceStep>(
  steps: readonly Step[],
): (Step & { verdict: Decision["effect"] }) | undefined {
  const deciding =
    steps.find(({ verdict, layer }) => verdict === "deny" && layer === "deny") ??
    steps.find(({ verdict }) => verdict === "deny") ??
    steps.find(({ verdict }) => verdict === "ask") ??
    steps.find(({ verdict }) => verdict === "allow");
  return deciding as (Step & { verdict: Decision["effect"] }) | undefined;
}
