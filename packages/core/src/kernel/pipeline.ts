import type { ToolOutcome } from "../contract/result.ts";
import type { AdmittedCall, PlannedCall, Stage, Step } from "./call.ts";
import { createCancelledOutcome, createFailedOutcome } from "./outcome.ts";
import { askApprover } from "./stages/ask-approver.ts";
import { askPolicy, checkVisibility } from "./stages/ask-policy.ts";
import { checkRepetition } from "./stages/check-repetition.ts";
import { execute } from "./stages/execute.ts";
import { makePlan } from "./stages/make-plan.ts";
import { prepareCallArguments } from "./stages/prepare-arguments.ts";
import { record } from "./stages/record.ts";
import { resolveName } from "./stages/resolve-name.ts";
import { runHooksBefore, transformResult } from "./stages/run-hooks.ts";

/** Stages of an approved call, from the next turn on, so that an immediate close cancels it. */
export const BEGIN: readonly Stage[] = [() => TURN, beginRecord, enter];

const STAGES: readonly Stage[] = [
  (call) => call.refusal && createFailedOutcome(call, call.refusal),
  resolveName,
  runHooksBefore,
  prepareCallArguments,
  makePlan,
  askPolicy,
  checkRepetition,
  askApprover,
  ...BEGIN,
];

/** Stages after a policy replacement: the repetition check would find the call itself. */
const JUDGE_AGAIN: readonly Stage[] = [checkVisibility, makePlan, askPolicy, askApprover];

export async function runStages(call: AdmittedCall, stages: readonly Stage[]): Promise<Step> {
  for (const stage of stages) {
    const step = stage(call as PlannedCall);
    if (step === undefined) continue;
    const outcome = step instanceof Promise ? await step : step;
    if (outcome !== undefined) return outcome;
  }
  return undefined;
}

/** Runs an admitted call; never throws. @param decided Decision about a call that returned as pending. */
export async function runPipeline(
  call: AdmittedCall,
  stages: readonly Stage[] = STAGES,
  decided?: Promise<Step>,
): Promise<ToolOutcome> {
  let outcome: Step;
  try {
    outcome = await runStages(call, stages);
  } catch (thrown) {
    outcome = createFailedOutcome(call, thrown, "INTERNAL");
  }
  const { deferredOutcome } = call;
  if (outcome!.kind === "pending" && deferredOutcome !== undefined && deferredOutcome !== decided)
    void runPipeline(call, [() => deferredOutcome, ...BEGIN], deferredOutcome);
  return record(call, outcome!);
}

const TURN = Promise.resolve(undefined);

/** A call starts under the current rules, after its record. Both may change during the write. */
function beginRecord(call: PlannedCall): Step | Promise<Step> {
  if (call.isOutdated) return runStages(call, JUDGE_AGAIN).then((ended) => ended ?? beginRecord(call));
  if (call.controller.signal.aborted) return createCancelledOutcome(call, "aborted before it ran.", "none");
  const refused = call.session.recorder?.recordStart(call);
  if (!(refused instanceof Promise)) return refused && createFailedOutcome(call, refused);
  return refused.then((error) => {
    if (error !== undefined) return createFailedOutcome(call, error);
    return call.isOutdated || call.controller.signal.aborted ? beginRecord(call) : undefined;
  });
}

function enter(call: PlannedCall): ToolOutcome | Promise<ToolOutcome> {
  const { session } = call;
  const at = session.callHistory.begin(call.meta);
  call.emit({ type: "tool-start", args: call.args, at });
  return session.settings.hooks.length > 0 ? executeWithHooks(call) : execute(call);
}

async function executeWithHooks(call: PlannedCall): Promise<ToolOutcome> {
  return transformResult(call, await execute(call));
}
