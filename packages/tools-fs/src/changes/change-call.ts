import type { CallPlan, PlanContext, ToolContext } from "@haft/plugin-sdk";
import { type CallPath, planPaths, requirePlanned } from "../paths/planned-paths.ts";
import { engineFor } from "./engine-for.ts";
import type { ChangeRequest } from "./plan/change-contract.ts";
import { previewOf } from "./plan/preview-change.ts";
import type { ChangeToolOptions } from "./tool-options.ts";

/** What a call changes: the same for its plan and for what it does. */
export type CallChange<Value> = Pick<ChangeRequest<Value>, "paths" | "plan" | "refineDiff">;

/** The files a call is about, and how they would change. */
export async function planChangeCall<Value>(
  change: CallChange<Value>,
  signal: AbortSignal,
  context: PlanContext,
  options: ChangeToolOptions,
): Promise<CallPlan> {
  const wanted = change.paths.map((one): CallPath => ({ ...one, access: "write" }));
  const { paths, ...planned } = await planPaths(options.workspace ?? context.workspace, wanted);
  const shown = await previewOf(engineFor(options, context), { ...change, signal });
  return { subjects: { paths }, ...planned, ...shown };
}

/** Makes the change, where the files are still those the plan was about. */
export function runChangeCall<Value>(
  change: CallChange<Value>,
  signal: AbortSignal,
  context: ToolContext,
  options: ChangeToolOptions,
) {
  return engineFor(options, context).change({
    ...change,
    plan: async (tree) => {
      await requirePlanned(options.workspace ?? context.workspace, context?.plan);
      return change.plan(tree);
    },
    signal,
  });
}
