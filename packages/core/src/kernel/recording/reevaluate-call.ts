import type { CallRecord, RunRecord } from "../../contract/ledger-port.ts";
import type { CallPlan } from "../../contract/plan.ts";
import type { Decision, Policy, SessionPolicy } from "../../contract/policy-port.ts";
import { SECRET_MASK } from "../../format/secret-masker.ts";
import { requireConsent } from "../stages/ask-policy.ts";
import { findDecisiveStep } from "../stages/find-decisive-step.ts";

/** A policy decision about a past call, or the rest of a sentence: why it is unknown. */
export type Reevaluation = { readonly decision: Decision } | { readonly unknown: string };

/** Evaluates a recorded call under another policy. Returns `unknown` if the record lacks a subject. */
export function reevaluateCall(
  record: CallRecord,
  run: Pick<RunRecord, "facts">,
  policy: Policy,
): Reevaluation {
  const { tool, sender, plan } = record;
  if (record.status === "gap")
    return { unknown: "it is not a call, but a time whose records may be missing" };
  if (tool === undefined)
    return {
      unknown: "its tool is not recorded: it did not exist, or only the outcome was stored",
    };
  const rules = policy.forSession(sender === undefined ? run.facts : { ...run.facts, sender });
  const visible = rules.visibility(tool);
  if (visible.effect === "deny") return { decision: visible };
  const decided = decide(record, tool, rules);
  if ("unknown" in decided) return decided;
  const { consent } = plan ?? {};
  const wanted: CallPlan = consent === undefined ? {} : { consent: [...consent] };
  return { decision: withHookRequest(requireConsent(decided.decision, wanted), record) };
}

function decide(
  { args, argsWhole, plan, toolName }: CallRecord,
  tool: NonNullable<CallRecord["tool"]>,
  rules: SessionPolicy,
): Reevaluation {
  const isWhole = args !== undefined && (argsWhole === true || !isPartial(args));
  const subjects = plan?.subjects;
  const hasSubjects = subjects !== undefined && (argsWhole === true || !isPartial(subjects));
  const needsSubjects = rules.needsSubjects?.(tool) === true || subjects !== undefined;
  if (isWhole && (hasSubjects || !needsSubjects)) return { decision: rules.call(tool, args, subjects) };
  const ofAny = rules.call(tool, undefined, undefined);
  if (isCertain(ofAny)) return { decision: ofAny };
  if (!isWhole)
    return { unknown: `it depends on arguments of ${toolName} that are masked, cut or not stored` };
  return subjects === undefined
    ? { unknown: `it depends on a plan of ${toolName}, which was not made` }
    : { unknown: `it depends on a plan of ${toolName} that is partly masked or cut` };
}

function isCertain({ effect, trace }: Decision): boolean {
  if (effect === "allow") return true;
  const step = findDecisiveStep(trace);
  return step !== undefined && step.toSome === undefined;
}

export function isPartial(value: unknown): boolean {
  if (typeof value === "string") return value.includes(SECRET_MASK);
  if (typeof value !== "object" || value === null) return false;
  if ("elided" in value || ("sha256" in value && "head" in value)) return true;
  return Object.values(value).some(isPartial);
}

function withHookRequest(decision: Decision, { decision: before }: CallRecord): Decision {
  if (before?.layer !== "hook" || decision.effect !== "allow") return decision;
  const { reason, source = "hook" } = before;
  return {
    ...decision,
    effect: "ask",
    reason,
    get trace() {
      return [...decision.trace, { layer: "hook", rule: reason, source, verdict: "ask" as const }];
    },
  };
}
