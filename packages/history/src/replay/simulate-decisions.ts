import type { CallSubjects, Decision, SessionFacts } from "@haft/core";
import { reevaluateCall, isPartial, isRewind } from "@haft/core/internal/records";
import type { CallRecord, RunRecord } from "@haft/core/kernel";
import type { ExplainingPolicy } from "@haft/policy";
import { withoutUndefined } from "@haft/utils";

/**
 * Compares a recorded decision with that of another policy.
 *
 * @example
 * ```ts
 * import type { SimulatedDecision } from "@haft/history/replay";
 * declare const decisions: readonly SimulatedDecision[];
 * const changed = decisions.filter(({ before, after }) => after !== undefined && after !== before);
 * ```
 */
export interface SimulatedDecision {
  /** Contains the recorded call. */
  readonly call: CallRecord;
  /** Absent if it was not recorded. */
  readonly before?: Decision["effect"];
  /** Absent if the record is insufficient. */
  readonly after?: Decision["effect"];
  /** The deciding rule, or the reason for a missing decision, as a sentence. */
  readonly reason: string;
  /** Set if the plan uses current files. */
  readonly planned?: true;
}

/** Computes a recorded call's plan with {@link replanCall}; `undefined` if impossible. */
export type ReplanCall = (run: RunRecord, call: CallRecord) => Promise<CallSubjects | undefined>;

/**
 * Decides about recorded calls with another policy. The result has no decision if the record is insufficient.
 * `planAgain` computes a missing plan.
 *
 * @example
 * ```ts
 * import type { CallRecord, RunRecord } from "@haft/core/kernel";
 * import { createHost } from "@haft/host";
 * import { replanCall, simulateDecisions } from "@haft/history/replay";
 * declare const run: RunRecord;
 * declare const calls: readonly CallRecord[];
 * const host = await createHost({ policy: "stricter.yaml", stateDir: false });
 * const decisions = await simulateDecisions(host.policy, run, calls, (...call) => replanCall(host, ...call));
 * ```
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

/** Uses the containment of this policy. */
function factsUnder(policy: ExplainingPolicy, facts: SessionFacts): SessionFacts {
  if (facts.kind === "sandboxed" || facts.sandbox !== undefined) return facts;
  const { containment: _, ...open } = facts;
  const containment = policy.containment(open);
  return containment === undefined
    ? open
    : { ...open, containment: { mode: containment.mode, network: containment.network } };
}
