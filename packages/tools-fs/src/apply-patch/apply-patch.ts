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
 * The `apply_patch` tool: many files, one transaction.
 *
 * A call fails with `PATCH_INVALID`, `PATCH_CONFLICT` (naming each hunk that does not fit), `FILE_NOT_FOUND`, `FILE_EXISTS`,
 * `FILE_TOO_LARGE`, `FILE_BUSY`, `READ_ONLY`, `PATH_CHANGED` or `PLAN_CHANGED` (a file is not as it was when the call was decided
 * about), or an error of the workspace.
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
