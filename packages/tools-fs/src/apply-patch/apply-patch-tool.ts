import { defineTool, Type } from "@haft/plugin-sdk";
import type { Static, Tool } from "@haft/plugin-sdk";
import type { FileChange } from "../changes/plan/change-report.ts";
import type { ChangeToolOptions } from "../changes/tool-options.ts";
import { changing } from "../changing.ts";
import type { PatchSummary } from "./apply-patch.ts";

const schema = Type.Object(
  { input: Type.String({ description: "Patch content using the *** Begin Patch/End Patch format." }) },
  { additionalProperties: false },
);

export type ApplyPatchToolInput = Static<typeof schema>;

export interface ApplyPatchToolDetails {
  summary: PatchSummary;
  changed: boolean;
  /** Every file with hashes, diff, and where each hunk was found. */
  files: readonly FileChange[];
  /** Takes the whole patch back, where a journal is kept. */
  transactionId?: string;
  workspaceOnly?: boolean;
}

export interface ApplyPatchToolOptions extends ChangeToolOptions {}

const DESCRIPTION =
  "Apply a patch to one or more files: all of it or nothing. The input is *** Begin Patch, sections, *** End Patch. " +
  "Sections: *** Add File: PATH (every line begins with +), *** Delete File: PATH, *** Update File: PATH (optionally " +
  "*** Move to: NEW below), *** Move File: OLD -> NEW. An update has hunks: @@ or @@ a line above, then context lines " +
  "beginning with a blank, - and + lines. Give three lines of context; a hunk must fit in one place only.";

/** The `apply_patch` tool: many files, one transaction. */
export function createApplyPatchTool(
  options: ApplyPatchToolOptions = {},
): Tool<typeof schema, ApplyPatchToolDetails> {
  return defineTool({
    name: "apply_patch",
    label: "apply_patch",
    description: DESCRIPTION,
    parameters: schema,
    effects: ["read", "write"],
    aliases: { input: ["patch", "patch_text", "patchText"] },
    groups: ["fs"],
    async wantsPlan(params, context) {
      return (await changing()).patchNeedsConsent(params, context, options);
    },
    async plan(params, context, signal) {
      return (await changing()).planApplyPatch(params, signal, context, options);
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      return (await changing()).runApplyPatch(params, signal, context, options);
    },
  });
}
