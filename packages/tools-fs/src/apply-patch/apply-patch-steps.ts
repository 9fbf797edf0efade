import { type CallPlan, text, type ToolResult, withoutUndefined, type Workspace } from "@haft/plugin-sdk";
import { type ChangeCall, planChangeCall } from "../changes/change-call.ts";
import type { ChangeReport, FileChange } from "../changes/plan/change-report.ts";
import { previewFailure } from "../changes/plan/preview-change.ts";
import { needsConsent } from "../paths/planned-paths.ts";
import { describePatch, patchRequest } from "./apply-patch-text.ts";

export { runChangeCall } from "../changes/change-call.ts";
export { patchRequest } from "./apply-patch-text.ts";

/** What `apply_patch` answers beside its sentences. */
export interface ApplyPatchToolDetails {
  /** Paths by what happened to them; a moved file is a modified one, under its new path. */
  summary: { added: string[]; modified: string[]; deleted: string[] };
  /** A file is not what it was. */
  changed: boolean;
  /** Every file with hashes, diff, and where each hunk was found. */
  files: readonly FileChange[];
  /** Takes the whole patch back, where a journal is kept. */
  transactionId?: string;
  /** As the options say it. */
  workspaceOnly?: boolean;
}

/** What the patch would change; for one that cannot be read, why. */
export async function planPatchCall(call: ChangeCall<{ input: string }>): Promise<CallPlan> {
  let request: ReturnType<typeof patchRequest>;
  try {
    request = patchRequest(call.params.input);
  } catch (thrown) {
    // Which files it is about is not known, so rules on paths cannot let it pass.
    return { preview: previewFailure(thrown) };
  }
  return planChangeCall(call, request);
}

export async function patchNeedsConsent(input: string, workspace: Workspace): Promise<boolean> {
  let request: ReturnType<typeof patchRequest>;
  try {
    request = patchRequest(input);
  } catch {
    return false; // It will fail, and say why.
  }
  return needsConsent(workspace, request.paths);
}

export function applyPatchResult(
  { options }: ChangeCall,
  report: ChangeReport,
): ToolResult<ApplyPatchToolDetails> {
  const { summary, text: said } = describePatch(report);
  const details: ApplyPatchToolDetails = withoutUndefined({
    summary,
    changed: report.changed,
    // Copied, so that hashes stay and contents go.
    files: report.files.map((file) => ({ ...file })),
    transactionId: report.transactionId,
    workspaceOnly: options.workspaceOnly,
  });
  return { content: [text(said)], details, receipt: report.changed ? "committed" : "none" };
}
