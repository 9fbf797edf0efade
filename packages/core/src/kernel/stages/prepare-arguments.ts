import type { ToolOutcome } from "../../contract/result.ts";
import { prepareArguments } from "../../parameters/prepare-parameters.ts";
import type { PreparedCall, ResolvedCall } from "../call.ts";
import { failed } from "../outcome.ts";

/**
 * Repairs, renames and validates the arguments, so that everything after (policy, guard, tool)
 * sees the same canonical ones.
 */
export function prepare(call: ResolvedCall): PreparedCall | ToolOutcome {
  const prepared = prepareArguments(call.tool.tool, call.request.arguments);
  return prepared.ok ? call.prepared(prepared.args) : failed(call, prepared.error);
}
