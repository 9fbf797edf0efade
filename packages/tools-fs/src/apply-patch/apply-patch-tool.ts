import { defineTool, requireKnownOptions } from "@haft/plugin-sdk";
import type { ChangeToolOptions } from "../changes/tool-options.ts";
import { MAX_ARGUMENT_CHARACTERS } from "../defaults.ts";
import { createLazyTool, lazyModule } from "../scheduling/lazy-tool.ts";
import { applyPatchSchema, type ApplyPatchToolDetails } from "./apply-patch-schema.ts";

const DESCRIPTION =
  "Apply a patch to files, all or nothing: *** Begin Patch, sections, *** End Patch. Sections: *** Add File: PATH (its " +
  "lines begin with +), *** Delete File: PATH, *** Update File: PATH (below it perhaps *** Move to: NEW), *** Move File: " +
  "OLD -> NEW. An update has hunks: @@ or @@ a line above, then lines that begin with a blank, - or +, three of context.";

const work = lazyModule(async () => (await import("./run-apply-patch.ts")).applyPatchWork);

/** The `apply_patch` tool: many files, one transaction. */
export function createApplyPatchTool(options: ChangeToolOptions = {}) {
  requireKnownOptions<ChangeToolOptions>("createApplyPatchTool", options, {
    workspace: true,
    journal: true,
    durable: true,
    maxFileBytes: true,
    workspaceOnly: true,
  });
  return defineTool<typeof applyPatchSchema, ApplyPatchToolDetails>({
    name: "apply_patch",
    label: "apply_patch",
    description: DESCRIPTION,
    parameters: applyPatchSchema,
    effects: ["read", "write"],
    aliases: { input: ["patch", "patch_text", "patchText"] },
    groups: ["fs"],
    maxArgumentCharacters: MAX_ARGUMENT_CHARACTERS,
    async wantsPlan(params, context) {
      return (await work()).patchNeedsConsent(params, options.workspace ?? context.workspace);
    },
    ...createLazyTool(work, options),
  });
}
