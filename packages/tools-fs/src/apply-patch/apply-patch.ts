import { defineTool, requireKnownOptions, Type } from "@haft/plugin-sdk";
import type { ChangeToolOptions } from "../changes/tool-options.ts";
import { CHANGE_OPTIONS, CLOSED_OBJECT, MAX_ARGUMENT_CHARACTERS } from "../defaults.ts";
import { lazyModule, toFileCall } from "../scheduling/lazy-tool.ts";
import type { ApplyPatchToolDetails } from "./apply-patch-steps.ts";

export const applyPatchSchema = Type.Object({ input: Type.String() }, CLOSED_OBJECT);

const DESCRIPTION =
  "Apply a patch to files, all or nothing: *** Begin Patch, sections, *** End Patch. Sections: *** Add File: PATH (its " +
  "lines begin with +), *** Delete File: PATH, *** Update File: PATH (below it perhaps *** Move to: NEW), *** Move File: " +
  "OLD -> NEW. An update has hunks: @@ or @@ a line above, then lines that begin with a blank, - or +, three of context.";

const load = lazyModule(() => import("./apply-patch-steps.ts"));

/**
 * Creates the `apply_patch` tool, which changes many files in one transaction.
 *
 * A call fails with `PATCH_INVALID` and the line; with `PATCH_CONFLICT` and every hunk without a match; with `FILE_NOT_FOUND`,
 * `FILE_EXISTS`, `FILE_TOO_LARGE`, `FILE_BUSY` or `READ_ONLY`; with `PATH_CHANGED` or `PLAN_CHANGED` if a file changed after the decision;
 * or with a workspace error.
 *
 * @example
 * ```ts run
 * import { definePlugin } from "@haft/plugin-sdk";
 * import { createApplyPatchTool } from "@haft/tools-fs";
 * const patch = createApplyPatchTool({ durable: true, maxFileBytes: 4 * 1024 * 1024 });
 * export default definePlugin({ id: "patches", tools: [patch] });
 * ```
 */
export function createApplyPatchTool(options: ChangeToolOptions = {}) {
  requireKnownOptions<ChangeToolOptions>("createApplyPatchTool", options, CHANGE_OPTIONS);
  return defineTool<typeof applyPatchSchema, ApplyPatchToolDetails>({
    name: "apply_patch",
    label: "apply_patch",
    description: DESCRIPTION,
    parameters: applyPatchSchema,
    effects: ["read", "write"],
    aliases: { input: ["patch", "patch_text", "patchText"] },
    groups: ["fs"],
    maxArgumentCharacters: MAX_ARGUMENT_CHARACTERS,
    async wantsPlan({ input }, context) {
      const { patchNeedsConsent } = await load();
      return patchNeedsConsent(input, options.workspace ?? context.workspace);
    },
    async plan(params, context, signal) {
      const { planPatchCall } = await load();
      return planPatchCall(toFileCall(options, params, signal, context));
    },
    async execute(id, params, signal, _onUpdate, context) {
      const { patchRequest, runChangeCall, applyPatchResult } = await load();
      const call = toFileCall(options, params, signal, context, id);
      const request = patchRequest(params.input);
      const { report } = await runChangeCall(call, { ...request, hashBefore: true });
      return applyPatchResult(call, report);
    },
  });
}
