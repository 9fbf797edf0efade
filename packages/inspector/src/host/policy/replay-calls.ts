import type { CallQuery, CallRecord, RunRecord } from "@haft/core/kernel";
import { replanCall, simulateDecisions, type SimulatedDecision, type ReplanCall } from "@haft/history/replay";
import type { ExplainingPolicy } from "@haft/policy";
import { withoutUndefined } from "@haft/utils";
import { setImmediate as turn } from "node:timers/promises";
import type { ReplayRequest, ReplayLine } from "../../wire/api.ts";
import { callRow, type CallWithRun } from "../calls/call-row.ts";
import type { InspectionContext } from "../inspection-context.ts";
import { loadPolicyEdit } from "./try-policy.ts";

const LIMIT = 10_000;
/** The first result is sent at once. */
const FIRST = 100;
const STEP = 500;
/** New plans take milliseconds each. */
const MAX_PLANNED = 300;
/** Calls without a pause. */
const AT_ONCE = 20;

/** Decides about past calls under an edit, newest first. */
export async function* replayCalls(
  looking: InspectionContext,
  request: ReplayRequest,
  signal: AbortSignal,
): AsyncGenerator<ReplayLine> {
  const tried = await loadPolicyEdit(looking, request);
  if (!("policy" in tried)) {
    const [first] = tried.lint;
    yield { type: "error", code: "POLICY_INVALID", message: first?.message ?? "The edit cannot be used." };
    return;
  }
  const ledger = looking.ledger();
  const runs = new Map<string, RunRecord | undefined>();
  const plan = boundedPlans(looking);
  const most = request.limit ?? LIMIT;
  const counts = { looked: 0, changed: 0, unsaid: 0 };
  const query = withoutUndefined<CallQuery>({
    runId: request.run,
    sessionKey: request.session,
    since: request.since,
  });
  let after: string | undefined;
  do {
    const limit = Math.min(counts.looked === 0 ? FIRST : STEP, most - counts.looked);
    const page = await ledger.calls({ ...query, limit, ...(after !== undefined && { after }) });
    for (const [runId, calls] of Map.groupBy(page.items, (call) => call.runId)) {
      if (!runs.has(runId)) runs.set(runId, await ledger.run(runId));
      const run = runs.get(runId);
      if (run === undefined) continue;
      for await (const { call, ...decision } of decideInTurns(tried.policy, run, calls, plan)) {
        const { before, after: now } = decision;
        if (before !== undefined && before === now) continue;
        if (before === undefined && now !== undefined) continue;
        counts[now === undefined ? "unsaid" : "changed"]++;
        yield { type: "call", call: callRow(call as CallWithRun), ...decision };
      }
    }
    counts.looked += page.items.length;
    yield { type: "progress", ...counts };
    after = page.next;
    await turn();
  } while (after !== undefined && counts.looked < most && !signal.aborted);
  yield { type: "end", ...counts, isAll: after === undefined };
}

/** Yields to other requests between turns. */
async function* decideInTurns(
  policy: ExplainingPolicy,
  run: RunRecord,
  calls: readonly CallRecord[],
  plan: ReplanCall,
): AsyncGenerator<SimulatedDecision> {
  for (let at = 0; at < calls.length; at += AT_ONCE) {
    yield* await simulateDecisions(policy, run, calls.slice(at, at + AT_ONCE), plan);
    await turn();
  }
}

function boundedPlans({ host }: InspectionContext): ReplanCall {
  let planned = 0;
  const here = host.workspace.describe().cwd;
  return async (run, call) => {
    // Paths of another workspace mean other files.
    if (run.workspace.place !== "host" || run.workspace.cwd !== here || planned++ >= MAX_PLANNED)
      return undefined;
    return replanCall(host, run, call);
  };
}
