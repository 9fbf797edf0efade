import {
  type CallSubjects,
  type Decision,
  type SessionFacts,
  type ToolFacts,
  withoutUndefined,
} from "@haft/core";
import type { CallRecord, RunRecord } from "@haft/core/kernel";
import type { ExplainingPolicy } from "@haft/policy";

/** What another policy would say to a call that was made. */
export interface OtherDecision {
  readonly call: CallRecord;
  /** What was decided then. */
  readonly then?: Decision["effect"];
  /** What would be decided; absent where that cannot be said. */
  readonly now?: Decision["effect"];
  /** Which rule decides, in a sentence; or why it cannot be said. */
  readonly reason: string;
  /** What the call would do was not worked out then, but for this, on the files as they are now. */
  readonly planned?: true;
}

/** Works out what a call would do, without doing it. */
export type PlanAgain = (run: RunRecord, call: CallRecord) => Promise<CallSubjects | undefined>;

/** Stands in records for what looks like a secret. */
const COVER = "[secret]";

/**
 * Decides again about calls that were made, by another policy, from their records. Where a record lacks what the
 * decision rests on, it is not guessed; what a call would do is worked out anew where nobody asked for it then.
 */
export async function decideOtherwise(
  policy: ExplainingPolicy,
  run: RunRecord,
  calls: readonly CallRecord[],
  planAgain: PlanAgain,
): Promise<OtherDecision[]> {
  const decisions: OtherDecision[] = [];
  for (const call of calls)
    if (call.status !== "gap") decisions.push(await decideAbout(policy, run, call, planAgain));
  return decisions;
}

async function decideAbout(
  policy: ExplainingPolicy,
  run: RunRecord,
  call: CallRecord,
  planAgain: PlanAgain,
): Promise<OtherDecision> {
  const { args, plan, decision } = call;
  const then = decision?.effect;
  const unsaid = (reason: string) => withoutUndefined<OtherDecision>({ call, then, reason });
  const said = ({ effect, reason }: Decision, planned?: true) =>
    withoutUndefined<OtherDecision>({ call, then, now: effect, reason, planned });
  if (call.tool === undefined) return unsaid("the record does not say which tool it was");
  const tool: ToolFacts = call.tool;
  const rules = policy.forSession(factsFor(policy, run.facts, call));
  const ofAny = rules.call(tool, undefined);
  if (isForAll(ofAny)) return said(ofAny);
  if (args === undefined) return unsaid("it depends on the arguments, which were not kept");
  if (isCovered(args) || isCovered(plan))
    return unsaid("it may depend on what looked like a secret, and is covered in the record");
  if (plan?.subjects !== undefined || rules.needsSubjects?.(tool) === false)
    return said(rules.call(tool, args, plan?.subjects));
  const ofArguments = rules.call(tool, args);
  if (isForAll(ofArguments)) return said(ofArguments);
  const subjects = await planAgain(run, call).catch(() => undefined);
  if (subjects !== undefined) return said(rules.call(tool, args, subjects), true);
  return unsaid("it depends on what the call would do, which was not worked out then, and cannot be now");
}

/** No rule says to some calls what it does not say to this one. */
function isForAll({ trace }: Decision): boolean {
  return trace.every(({ toSome }) => toSome === undefined);
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
  return (JSON.stringify(value) ?? "").includes(COVER);
}
