import { type CallPlan, text, type ToolResult, type Workspace } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { type ChangeCall, planChangeCall } from "../changes/change-call.ts";
import type { ChangeReport, FileChange } from "../changes/plan/change-report.ts";
import { previewFailure } from "../changes/plan/preview-change.ts";
import { needsConsent } from "../paths/planned-paths.ts";
import { describePatch, patchRequest } from "./apply-patch-text.ts";

export { runChangeCall } from "../changes/change-call.ts";
export { patchRequest } from "./apply-patch-text.ts";

/**
 * Describes the `details` of `apply_patch`.
 *
 * @example
 * ```ts
 * import type { ApplyPatchToolDetails } from "@haft/tools-fs";
 * const summarize = ({ summary: { added, modified, deleted } }: ApplyPatchToolDetails) =>
 *   `+${added.length} ~${modified.length} -${deleted.length}`;
 * ```
 */
export interface ApplyPatchToolDetails {
  /** Lists paths by kind of change. A moved file counts as modified, with its new path. */
  summary: { added: string[]; modified: string[]; deleted: string[] };
  /** Whether a file has changed. */
  changed: boolean;
  /** Contains every file with hashes, diff, and the location of each hunk. */
  files: readonly FileChange[];
  /** Identifies the patch for undo, if there is a journal. */
  transactionId?: string;
  /** Contains the option `workspaceOnly`. */
  workspaceOnly?: boolean;
}

export async function planPatchCall(call: ChangeCall<{ input: string }>): Promise<CallPlan> {
  let request: ReturnType<typeof patchRequest>;
  try {
    request = patchRequest(call.params.input);
  } catch (thrown) {
    // Without paths, rules on paths cannot allow the call.
    return { preview: previewFailure(thrown) };
  }
  return planChangeCall(call, request);
}

export async function patchNeedsConsent(input: string, workspace: Workspace): Promise<boolean> {
  let request: ReturnType<typeof patchRequest>;
  try {
    request = patchRequest(input);
  } catch {
    return false;
  }
  return needsConsent(workspace, request.paths);
}

export function applyPatchResult(
  { options }: ChangeCall,
  report: ChangeReport,
): ToolResult<ApplyPatchToolDetails> {
  const { summary, text: message } = describePatch(report);
  const details: ApplyPatchToolDetails = withoutUndefined({
    summary,
    changed: report.changed,
    files: report.files.map((file) => ({ ...file })),
    transactionId: report.transactionId,
    workspaceOnly: options.workspaceOnly,
  });
  return { content: [text(message)], details, receipt: report.changed ? "committed" : "none" };
}
