import type { Call } from "../call.ts";
import { blocked } from "../outcome.ts";
import type { ToolOutcome } from "../result.ts";

/** The same evaluator that decided what is visible decides again, now with the arguments. */
export function askPolicy(call: Call): ToolOutcome | undefined {
  const decision = call.session.policy.call(call.tool!.facts, call.args);
  call.decision = decision;
  // Anything but a clear yes is a no: policies may be written without types.
  if (decision.effect === "allow" || decision.effect === "ask") return undefined;
  return blocked(call, "POLICY_DENIED", decision.reason, decision.fix, { decisionId: decision.id });
}
