import { withoutUndefined } from "@haft/utils";
import type { CallPlan } from "../../contract/plan.ts";
import type { Decision, TraceStep } from "../../contract/policy-port.ts";
import type { PreparedCall, Step } from "../call.ts";
import { createBlockedOutcome } from "../outcome.ts";

export function askPolicy(call: PreparedCall): Step {
  const { plan } = call;
  const known = plan === undefined ? call.decision : undefined;
  const decision = known ?? call.policy.call(call.tool.facts, call.args, plan?.subjects);
  call.decision = decision;
  const { shadow } = decision;
  if (shadow !== undefined && shadow.effect !== decision.effect) noteShadow(call, decision.effect, shadow);
  if (decision.effect !== "allow" && decision.effect !== "ask") {
    return createBlockedOutcome(call, "POLICY_DENIED", decision.reason, decision.fix, {
      decisionId: decision.id,
    });
  }
  const { askedByHook: request } = call;
  call.decision = requireConsent(
    request === undefined ? decision : requireHookApproval(decision, request),
    plan,
  );
  return undefined;
}

/** Requires approval for changes that need consent. Denials stay. */
export function requireConsent(decision: Decision, plan: CallPlan | undefined): Decision {
  const consent = plan?.consent ?? [];
  if (consent.length === 0 || (decision.effect !== "allow" && decision.effect !== "ask")) return decision;
  const reason = consent.map((one) => one.reason).join(" ");
  const step: TraceStep = { layer: "consent", rule: reason, source: "workspace", verdict: "ask" };
  return tightened(decision, reason, step);
}

function noteShadow(call: PreparedCall, effect: Decision["effect"], shadow: Decision): void {
  call.session.settings.logger.info(
    `In shadow mode: ${call.toolName} would be ${shadow.effect}, and is ${effect}.`,
    { call: call.id, reason: shadow.reason },
  );
  call.emit({ type: "policy-shadow", enforced: effect, wouldBe: shadow.effect, reason: shadow.reason });
}

function requireHookApproval(
  decision: Decision,
  { hook, reason }: { hook: string; reason: string },
): Decision {
  return tightened(decision, reason, {
    layer: "hook",
    rule: reason,
    source: `hook ${hook}`,
    verdict: "ask",
  });
}

function tightened(decision: Decision, reason: string, step: TraceStep): Decision {
  return {
    ...withoutUndefined<Pick<Decision, "everyTime">>({ everyTime: decision.everyTime }),
    effect: "ask",
    id: decision.id,
    reason: decision.effect === "ask" ? `${decision.reason} ${reason}` : reason,
    get trace() {
      return [...decision.trace, step];
    },
  };
}

export function checkVisibility(call: PreparedCall): Step {
  call.refreshRules();
  const decision = call.rules.policy.visibility(call.tool.facts);
  if (decision.effect !== "deny") return undefined;
  call.decision = decision;
  return createBlockedOutcome(call, "POLICY_DENIED", decision.reason, decision.fix, {
    decisionId: decision.id,
  });
}

export function recheckPolicy(call: PreparedCall): Step {
  return checkVisibility(call) ?? askPolicy(call);
}
