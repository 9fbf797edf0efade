import { Call, type CallOptions, type CallRequest } from "./call.ts";
import { cancelled, failed } from "./outcome.ts";
import type { ToolOutcome } from "./result.ts";
import type { SessionState } from "./session-state.ts";
import { admit } from "./stages/admit.ts";
import { afterDecision, askApprover } from "./stages/ask-approver.ts";
import { askPolicy } from "./stages/ask-policy.ts";
import { checkRepetition } from "./stages/check-repetition.ts";
import { execute } from "./stages/execute.ts";
import { makePlan, needsPlan } from "./stages/make-plan.ts";
import { prepare } from "./stages/prepare-arguments.ts";
import { record } from "./stages/record.ts";
import { resolveName } from "./stages/resolve-name.ts";
import { runHooksBefore, transformResult } from "./stages/run-hooks.ts";

/**
 * The life of a call. Each stage either lets the call go on (`undefined`) or ends it with an
 * outcome; nothing is ever thrown past here.
 */
export async function runCall(
  session: SessionState,
  request: CallRequest,
  options: CallOptions,
): Promise<ToolOutcome> {
  const call = admit(session, request, options);
  if (!(call instanceof Call)) return call;
  let outcome: ToolOutcome;
  try {
    outcome = (await decide(call)) ?? (await askApprover(call)) ?? (await begin(call));
  } catch (thrown) {
    outcome = failed(call, thrown, "INTERNAL");
  }
  if (outcome.kind === "pending") void resumeWhenDecided(call);
  return record(call, outcome);
}

/** Everything that is decided without asking a person. Waits only where somebody has something to wait for. */
function decide(call: Call): ToolOutcome | undefined | Promise<ToolOutcome | undefined> {
  const refusal = (call.refusal && failed(call, call.refusal)) ?? resolveName(call);
  if (refusal) return refusal;
  if (call.session.settings.hooks.length > 0) return decideWithHooks(call);
  const refused = prepare(call);
  if (refused) return refused;
  return needsPlan(call) ? decideWithPlan(call) : judge(call);
}

async function decideWithHooks(call: Call): Promise<ToolOutcome | undefined> {
  const refused = (await runHooksBefore(call)) ?? prepare(call);
  return refused ?? (needsPlan(call) ? decideWithPlan(call) : judge(call));
}

async function decideWithPlan(call: Call): Promise<ToolOutcome | undefined> {
  return (await makePlan(call)) ?? judge(call);
}

function judge(call: Call): ToolOutcome | undefined {
  return askPolicy(call) ?? checkRepetition(call);
}

/** Goes on with a call that was answered as pending, once it is decided. */
async function resumeWhenDecided(call: Call): Promise<void> {
  const settlement = await call.waiting!.settled;
  let outcome: ToolOutcome;
  try {
    outcome = (await afterDecision(call, settlement)) ?? (await begin(call));
  } catch (thrown) {
    outcome = failed(call, thrown, "INTERNAL");
  }
  record(call, outcome);
}

async function begin(call: Call): Promise<ToolOutcome> {
  const { session } = call;
  if (call.controller.signal.aborted) return cancelled(call, "CANCELLED", "aborted before it ran.", "none");
  session.ledger.begin(call.meta!);
  if (session.isObserved) {
    session.emit({
      type: "tool-start",
      toolCallId: call.id,
      toolName: call.toolName,
      args: call.args,
      at: Date.now(),
    });
  }
  const outcome = execute(call);
  return session.settings.hooks.length > 0 ? transformResult(call, await outcome) : outcome;
}
