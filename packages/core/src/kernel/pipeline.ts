import type { ToolOutcome } from "../contract/result.ts";
import type { Call } from "./call.ts";
import { cancelled, failed } from "./outcome.ts";
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
 * The life of a call that was admitted. Each stage either lets the call go on (`undefined`) or ends it with an
 * outcome; nothing is ever thrown past here.
 */
export async function carryOut(call: Call): Promise<ToolOutcome> {
  let outcome: ToolOutcome;
  try {
    outcome = (await decide(call)) ?? (await begin(call));
  } catch (thrown) {
    outcome = failed(call, thrown, "INTERNAL");
  }
  if (outcome.kind === "pending") void resumeWhenDecided(call);
  return record(call, outcome);
}

/** What a stage says, perhaps later: the outcome that ends the call, or nothing. */
type Said = ToolOutcome | undefined | Promise<ToolOutcome | undefined>;

/** Everything before the tool's own code. Waits only where there is something to wait for: most calls have nothing. */
function decide(call: Call): Said {
  const refused = (call.refusal && failed(call, call.refusal)) ?? resolveName(call);
  if (refused) return refused;
  return call.session.settings.hooks.length > 0 ? decideWithHooks(call) : decideOnArguments(call);
}

async function decideWithHooks(call: Call): Promise<ToolOutcome | undefined> {
  return (await runHooksBefore(call)) ?? decideOnArguments(call);
}

function decideOnArguments(call: Call): Said {
  const refused = prepare(call);
  if (refused) return refused;
  const needed = needsPlan(call);
  if (typeof needed === "boolean") return needed ? decideWithPlan(call) : judge(call);
  return needed.then((really) => (really ? decideWithPlan(call) : judge(call)));
}

async function decideWithPlan(call: Call): Promise<ToolOutcome | undefined> {
  const problem = await makePlan(call);
  // Why a plan fails may say what is on the disk: not to somebody who may not make the call at all.
  if (problem?.kind === "error") return askPolicy(call) ?? problem;
  return problem ?? judge(call);
}

function judge(call: Call): Said {
  return askPolicy(call) ?? checkRepetition(call) ?? askApprover(call);
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

function begin(call: Call): ToolOutcome | Promise<ToolOutcome> {
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
  return session.settings.hooks.length > 0 ? executeWithHooks(call) : execute(call);
}

async function executeWithHooks(call: Call): Promise<ToolOutcome> {
  return transformResult(call, await execute(call));
}
