import { defineTool, text, Type } from "@haft/plugin-sdk";
import type { Static, Tool } from "@haft/plugin-sdk";
import type { PatchSummary } from "./apply-patch/apply-patch.ts";
import { applyPatchWith, patchRequest } from "./apply-patch/apply-patch.ts";
import type { FileChange } from "./changes/change-report.ts";
import { previewFailure, previewOf } from "./changes/preview-change.ts";
import type { ChangeToolOptions } from "./changes/tool-options.ts";
import { engineFor } from "./changes/tool-options.ts";
import type { CallPath } from "./planned-paths.ts";
import { planPaths, requirePlanned } from "./planned-paths.ts";

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
    async plan({ input }, context, signal) {
      let request: ReturnType<typeof patchRequest>;
      try {
        request = patchRequest(input);
      } catch (thrown) {
        // Which files it is about is not known, so rules on paths cannot let it pass.
        return { preview: previewFailure(thrown) };
      }
      const wanted = request.paths.map((one): CallPath => ({ ...one, access: "write" }));
      const { paths, data } = await planPaths(options.workspace ?? context.workspace, wanted);
      const preview = await previewOf(engineFor(options, context), { ...request, signal });
      return { subjects: { paths }, preview, data };
    },
    async execute(_toolCallId, { input }, signal, _onUpdate, context) {
      const before = () => requirePlanned(options.workspace ?? context.workspace, context?.plan);
      const {
        report,
        summary,
        text: told,
      } = await applyPatchWith(engineFor(options, context), input, { signal, before });
      const details: ApplyPatchToolDetails = {
        summary,
        changed: report.changed,
        // Copied, so that hashes stay and contents go.
        files: report.files.map((file) => ({ ...file })),
        ...(report.transactionId === undefined ? {} : { transactionId: report.transactionId }),
        ...(options.workspaceOnly === undefined ? {} : { workspaceOnly: options.workspaceOnly }),
      };
      return { content: [text(told)], details, receipt: report.changed ? "committed" : "none" };
    },
  });
}
