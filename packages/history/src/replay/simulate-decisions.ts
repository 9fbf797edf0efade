import type { CallSubjects, Decision, SessionFacts } from "@haft/core";
import { reevaluateCall, isPartial, isRewind } from "@haft/core/internal/records";
import type { CallRecord, RunRecord } from "@haft/core/kernel";
import type { ExplainingPolicy } from "@haft/policy";
import { withoutUndefined } from "@haft/utils";

export interface SimulatedDecision {
  readonly call: CallRecord;
  /** What was decided, and what would be; absent where that cannot be said. */
  readonly before?: Decision["effect"];
  readonly after?: Decision["effect"];
  /** Which rule decides, in a sentence; or why it cannot be said. */
  readonly reason: string;
  /** What the call would do was not worked out then, but for this, on the files as they are now. */
  readonly planned?: true;
}

export type ReplanCall = (run: RunRecord, call: CallRecord) => Promise<CallSubjects | undefined>;

/**
 * Decides again about calls that were made, by another policy, from their records. Where a record lacks what the
 * decision rests on, it is not guessed; what a call would do is worked out anew where nobody asked for it then.
 */
export async function simulateDecisions(
  policy: ExplainingPolicy,
  run: RunRecord,
  calls: readonly CallRecord[],
  planAgain: ReplanCall,
): Promise<SimulatedDecision[]> {
  const decisions: SimulatedDecision[] = [];
  const facts = factsUnder(policy, run.facts);
  for (const call of calls) {
    if (call.status === "gap" || isRewind(call)) continue;
    const before = call.decision?.effect;
    const decided = reevaluateCall(call, { facts }, policy);
    if ("decision" in decided) {
      decisions.push(otherDecision({ call, before }, decided.decision));
      continue;
    }
    const subjects = isPlanMissing(call) ? await planAgain(run, call).catch(() => undefined) : undefined;
    const planned =
      subjects && reevaluateCall({ ...call, plan: { ...call.plan, subjects } }, { facts }, policy);
    decisions.push(
      planned !== undefined && "decision" in planned
        ? { ...otherDecision({ call, before }, planned.decision), planned: true }
        : withoutUndefined<SimulatedDecision>({ call, before, reason: decided.unknown }),
    );
  }
  return decisions;
}

function otherDecision(
  { call, before }: { call: CallRecord; before: Decision["effect"] | undefined },
  { effect, reason }: Decision,
): SimulatedDecision {
  return withoutUndefined<SimulatedDecision>({ call, before, after: effect, reason });
}

function isPlanMissing({ tool, args, plan }: CallRecord): boolean {
  return tool !== undefined && args !== undefined && !isPartial(args) && plan?.subjects === undefined;
}

/** Commands contained as this policy wants it, since that is what a session under it would be. */
function factsUnder(policy: ExplainingPolicy, facts: SessionFacts): SessionFacts {
  if (facts.kind === "sandboxed" || facts.sandbox !== undefined) return facts;
  const { containment: _, ...open } = facts;
  const wish = policy.containment(open);
  return wish === undefined ? open : { ...open, containment: { mode: wish.mode, network: wish.network } };
}
