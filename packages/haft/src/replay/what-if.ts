import { type Decision, type SessionFacts, type ToolFacts, withoutUndefined } from "@haft/core";
import type { CallRecord, RunRecord } from "@haft/core/kernel";
import { answersIn, type ExplainingPolicy } from "@haft/policy";

/** What another policy would say to a call that was made. */
export interface OtherDecision {
  readonly call: CallRecord;
  /** What was decided then. */
  readonly then?: Decision["effect"];
  /** What would be decided; absent where that cannot be said. */
  readonly now?: Decision["effect"];
  /** Which rule decides, in a sentence; or why it cannot be said. */
  readonly reason: string;
}

/** Stands in records for what looks like a secret. */
const COVER = "[secret]";

/**
 * Decides again about calls that were made, by another policy, from nothing but their records. Where a record lacks what the
 * decision rests on, it is not guessed.
 */
export function decideOtherwise(
  policy: ExplainingPolicy,
  run: RunRecord,
  calls: readonly CallRecord[],
): OtherDecision[] {
  return calls.flatMap((call) => (call.status === "gap" ? [] : [decideAbout(policy, run, call)]));
}

function decideAbout(policy: ExplainingPolicy, run: RunRecord, call: CallRecord): OtherDecision {
  const { tool, args, plan, decision } = call;
  const then = decision?.effect;
  const unsaid = (reason: string) => withoutUndefined<OtherDecision>({ call, then, reason });
  if (tool === undefined) return unsaid("the record does not say which tool it was");
  const facts = factsFor(policy, run.facts, call);
  const rules = policy.forSession(facts);
  const said = ({ effect, reason }: Decision) =>
    withoutUndefined<OtherDecision>({ call, then, now: effect, reason });
  const ofAny = rules.call(tool as ToolFacts, undefined);
  const isForAll =
    answersIn(ofAny.trace).toSome === undefined && ofAny.trace.every(({ toSome }) => toSome === undefined);
  if (isForAll) return said(ofAny);
  if (args === undefined) return unsaid("it depends on the arguments, which were not kept");
  if (isCovered(args) || isCovered(plan))
    return unsaid("it may depend on what looked like a secret, and is covered in the record");
  const subjects = plan?.subjects;
  if (subjects === undefined && rules.needsSubjects?.(tool as ToolFacts) !== false) {
    const ofArguments = rules.call(tool as ToolFacts, args);
    const isCertain = ofArguments.trace.every(({ toSome }) => toSome === undefined);
    return isCertain
      ? said(ofArguments)
      : unsaid("it depends on what the call would do, which was not worked out then");
  }
  return said(rules.call(tool as ToolFacts, args, subjects));
}

/** Who was calling; commands contained as this policy wants it, since that is what a session under it would be. */
function factsFor(policy: ExplainingPolicy, facts: SessionFacts, { sender }: CallRecord): SessionFacts {
  const asker = sender === undefined ? facts : { ...facts, sender };
  if (asker.kind === "sandboxed" || asker.sandbox !== undefined) return asker;
  const { containment: _, ...open } = asker;
  const wish = policy.containment(open);
  return wish === undefined ? open : { ...open, containment: { mode: wish.mode, network: wish.network } };
}

function isCovered(value: unknown): boolean {
  return JSON.stringify(value)?.includes(COVER) === true;
}
