import type { PreparedCall, Step } from "../call.ts";
import { blocked } from "../outcome.ts";
import { askPolicy } from "./ask-policy.ts";

/** Another policy is in force: may the tool be called at all? */
export function checkVisibility(call: PreparedCall): Step {
  call.takeNewRules();
  // Of the session: that is by what names are resolved, too.
  const decision = call.rules.policy.visibility(call.tool.facts);
  if (decision.effect !== "deny") return undefined;
  call.decision = decision;
  return blocked(call, "POLICY_DENIED", decision.reason, decision.fix, { decisionId: decision.id });
}

/** What the policy in force says of a call that waits. Whoever is asked about it was shown its plan. */
export function judgeAgain(call: PreparedCall): Step {
  return checkVisibility(call) ?? askPolicy(call);
}
