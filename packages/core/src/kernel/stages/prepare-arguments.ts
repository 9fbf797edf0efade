import type { ToolOutcome } from "../../contract/result.ts";
import { parameterSpecOf, prepareArguments } from "../../parameters/prepare-parameters.ts";
import type { Call } from "../call.ts";
import { failed } from "../outcome.ts";

/**
 * Repairs, renames and validates the arguments, so that everything after (policy, guard, tool)
 * sees the same canonical ones.
 */
export function prepare(call: Call): ToolOutcome | undefined {
  const prepared = prepareArguments(parameterSpecOf(call.tool!.tool), call.request.arguments);
  if (!prepared.ok) return failed(call, prepared.error);
  call.args = prepared.args;
  call.isPrepared = true;
  call.meta!.args = prepared.args;
  return undefined;
}
