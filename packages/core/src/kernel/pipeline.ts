import type { HaftError } from "../contract/errors.ts";
import type { ToolOutcome } from "../contract/result.ts";
import { type AdmittedCall, Call, type PlannedCall, type PreparedCall, type ResolvedCall } from "./call.ts";
import { cancelled, failed } from "./outcome.ts";
import { askApprover } from "./stages/ask-approver.ts";
import { askPolicy } from "./stages/ask-policy.ts";
import { checkRepetition } from "./stages/check-repetition.ts";
import { execute } from "./stages/execute.ts";
import { checkVisibility } from "./stages/judge-again.ts";
import { makePlan, needsPlan } from "./stages/make-plan.ts";
import { prepare } from "./stages/prepare-arguments.ts";
import { record } from "./stages/record.ts";
import { resolveName } from "./stages/resolve-name.ts";
import { runHooksBefore, transformResult } from "./stages/run-hooks.ts";

/**
 * The life of a call that was admitted. Each stage either answers the call, which is then a step further, or the outcome
 * that ends it; nothing is ever thrown past here.
 */
export async function carryOut(call: AdmittedCall, decideIt = decide): Promise<ToolOutcome> {
  let outcome: ToolOutcome;
  try {
    const decided = await decideIt(call);
    outcome = decided instanceof Call ? await begin(decided) : decided;
  } catch (thrown) {
    outcome = failed(call, thrown, "INTERNAL");
  }
  if (outcome.kind === "pending" && call.later !== undefined) void resume(call, call.later);
  return record(call, outcome);
}

/** What becomes of a call before the tool's own code, perhaps later. */
type Decided = PlannedCall | ToolOutcome | Promise<PlannedCall | ToolOutcome>;

/** Everything before the tool's own code. Waits only where there is something to wait for: most calls have nothing. */
function decide(call: AdmittedCall): Decided {
  if (call.refusal !== undefined) return failed(call, call.refusal);
  const resolved = resolveName(call);
  if (!(resolved instanceof Call)) return resolved;
  return call.session.settings.hooks.length > 0 ? decideWithHooks(resolved) : decideOnArguments(resolved);
}

async function decideWithHooks(call: ResolvedCall): Promise<PlannedCall | ToolOutcome> {
  return (await runHooksBefore(call)) ?? decideOnArguments(call);
}

function decideOnArguments(call: ResolvedCall): Decided {
  const prepared = prepare(call);
  if (prepared instanceof Call) return decideOnPrepared(prepared);
  if (!(prepared instanceof Promise)) return prepared;
  return prepared.then((later) => (later instanceof Call ? decideOnPrepared(later) : later));
}

function decideOnPrepared(prepared: PreparedCall): Decided {
  const needed = needsPlan(prepared);
  if (typeof needed === "boolean") return needed ? decideWithPlan(prepared) : judge(prepared);
  return needed.then((really) => (really ? decideWithPlan(prepared) : judge(prepared)));
}

async function decideWithPlan(call: PreparedCall, judgeIt = judge): Promise<PlannedCall | ToolOutcome> {
  const problem = await makePlan(call);
  if (problem === undefined) return judgeIt(call);
  if (problem.kind !== "error") return problem;
  // Why a plan fails may say what is on the disk: not to somebody who may not make the call at all.
  const decided = askPolicy(call);
  return decided instanceof Call ? problem : decided;
}

function judge(call: PreparedCall): Decided {
  const planned = askPolicy(call);
  if (!(planned instanceof Call)) return planned;
  return checkRepetition(planned) ?? askApprover(planned);
}

/** The policy was replaced while the call was decided about: nothing begins by rules that hold no more. */
async function decideAgain(call: PlannedCall): Promise<PlannedCall | ToolOutcome> {
  const hidden = checkVisibility(call);
  if (hidden !== undefined) return hidden;
  return call.plan === undefined && (await needsPlan(call))
    ? decideWithPlan(call, judgeOnRulesAlone)
    : judgeOnRulesAlone(call);
}

/** That it is no repetition was found before, and it would be its own. */
function judgeOnRulesAlone(call: PreparedCall): Decided {
  const planned = askPolicy(call);
  return planned instanceof Call && !planned.isAgreed ? askApprover(planned) : planned;
}

/** Goes on with a call that was answered as pending, once it is decided. */
async function resume(call: AdmittedCall, later: Promise<PlannedCall | ToolOutcome>): Promise<void> {
  let outcome: ToolOutcome;
  try {
    const decided = await later;
    outcome = decided instanceof Call ? await begin(decided) : decided;
  } catch (thrown) {
    outcome = failed(call, thrown, "INTERNAL");
  }
  if (outcome.kind === "pending" && call.later !== undefined && call.later !== later)
    return resume(call, call.later);
  void record(call, outcome);
}

function begin(call: PlannedCall): ToolOutcome | Promise<ToolOutcome> {
  if (call.isOutdated)
    return decideAgain(call).then((decided) => (decided instanceof Call ? begin(decided) : decided));
  if (call.controller.signal.aborted) return cancelled(call, "aborted before it ran.", "none");
  const refused = call.session.recorder?.begins(call);
  if (refused instanceof Promise) return refused.then((error) => beginWritten(call, error));
  return refused === undefined ? enter(call) : failed(call, refused);
}

/** While its record was written, it may have been aborted, and the policy replaced. */
function beginWritten(call: PlannedCall, refused: HaftError | undefined): ToolOutcome | Promise<ToolOutcome> {
  if (refused !== undefined) return failed(call, refused);
  if (call.isOutdated) return begin(call);
  return call.controller.signal.aborted ? cancelled(call, "aborted before it ran.", "none") : enter(call);
}

function enter(call: PlannedCall): ToolOutcome | Promise<ToolOutcome> {
  const { session } = call;
  const at = session.ledger.begin(call.meta);
  call.emit({ type: "tool-start", args: call.args, at });
  return session.settings.hooks.length > 0 ? executeWithHooks(call) : execute(call);
}

async function executeWithHooks(call: PlannedCall): Promise<ToolOutcome> {
  return transformResult(call, await execute(call));
}
