import { type ReadyArguments, readyArguments } from "../../parameters/validate-arguments.ts";
import type { ResolvedCall, Step } from "../call.ts";
import { cancelled, failed } from "../outcome.ts";

/** Repairs, renames and validates the arguments, so that all later stages see the same canonical ones. */
export function prepareCallArguments(call: ResolvedCall): Step | Promise<Step> {
  const ready = readyArguments(call.tool.tool, call.request.arguments, () => call.signal);
  if (!(ready instanceof Promise)) return take(call, ready);
  return ready.then((later) =>
    call.signal.aborted ? cancelled(call, "aborted before it ran.", "none") : take(call, later),
  );
}

function take(call: ResolvedCall, ready: ReadyArguments): Step {
  if (!ready.ok) return failed(call, ready.error);
  if (ready.weight !== undefined) call.session.ledger.weigh(call.meta, ready.weight);
  call.args = call.meta.args = ready.args;
  call.isPrepared = true;
  return undefined;
}
