import type { ToolOutcome } from "../../contract/result.ts";
import { type ReadyArguments, readyArguments } from "../../parameters/validate-arguments.ts";
import type { PreparedCall, ResolvedCall } from "../call.ts";
import { cancelled, failed } from "../outcome.ts";

/**
 * Repairs, renames and validates the arguments, so that everything after (policy, guard, tool)
 * sees the same canonical ones. Waits only for the schema of a library that is asynchronous.
 */
export function prepare(
  call: ResolvedCall,
): PreparedCall | ToolOutcome | Promise<PreparedCall | ToolOutcome> {
  const ready = readyArguments(call.tool.tool, call.request.arguments, () => call.signal);
  if (!(ready instanceof Promise)) return goOn(call, ready);
  return ready.then((later) =>
    call.signal.aborted ? cancelled(call, "aborted before it ran.", "none") : goOn(call, later),
  );
}

function goOn(call: ResolvedCall, ready: ReadyArguments): PreparedCall | ToolOutcome {
  if (!ready.ok) return failed(call, ready.error);
  if (ready.weight !== undefined) call.session.ledger.weigh(call.meta, ready.weight);
  return call.prepared(ready.args);
}
