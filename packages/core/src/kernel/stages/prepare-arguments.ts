import { type ValidatedArguments, validateArguments } from "../../parameters/validate-arguments.ts";
import type { ResolvedCall, Step } from "../call.ts";
import { createCancelledOutcome, createFailedOutcome } from "../outcome.ts";

export function prepareCallArguments(call: ResolvedCall): Step | Promise<Step> {
  const ready = validateArguments(call.tool.tool, call.request.arguments, () => call.signal);
  if (!(ready instanceof Promise)) return take(call, ready);
  return ready.then((later) =>
    call.signal.aborted ? createCancelledOutcome(call, "aborted before it ran.", "none") : take(call, later),
  );
}

function take(call: ResolvedCall, ready: ValidatedArguments): Step {
  if (!ready.ok) return createFailedOutcome(call, ready.error);
  if (ready.weight !== undefined) call.session.callHistory.weigh(call.meta, ready.weight);
  call.args = call.meta.args = ready.args;
  call.isPrepared = true;
  return undefined;
}
