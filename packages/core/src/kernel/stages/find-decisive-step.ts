import type { Decision, TraceStep } from "../../contract/policy-port.ts";

/** The step that decides: a deny rule, else any denial, else the first that asks, else the first that allows. */
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
