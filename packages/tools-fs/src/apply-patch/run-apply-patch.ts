import { text, withoutUndefined } from "@haft/plugin-sdk";
import type { CallPlan, PlanContext, ToolContext, ToolResult } from "@haft/plugin-sdk";
import { planChangeCall } from "../changes/change-call.ts";
import { engineFor } from "../changes/engine-for.ts";
import { previewFailure } from "../changes/plan/preview-change.ts";
import type { ChangeToolOptions } from "../changes/tool-options.ts";
import { needsConsent, requirePlanned } from "../paths/planned-paths.ts";
import type { ApplyPatchToolDetails, ApplyPatchToolInput } from "./apply-patch-schema.ts";
import { applyPatchWith, patchRequest } from "./apply-patch.ts";

/** The files a patch is about, and how they would change. */
export async function planApplyPatch(
  { input }: ApplyPatchToolInput,
  signal: AbortSignal,
  context: PlanContext,
  options: ChangeToolOptions,
): Promise<CallPlan> {
  let request: ReturnType<typeof patchRequest>;
  try {
    request = patchRequest(input);
  } catch (thrown) {
    // Which files it is about is not known, so rules on paths cannot let it pass.
    return { preview: previewFailure(thrown) };
  }
  return planChangeCall(request, signal, context, options);
}

/** Is there a file among those of the patch whose change somebody has to agree to? */
export async function patchNeedsConsent(
  { input }: ApplyPatchToolInput,
  context: PlanContext,
  options: ChangeToolOptions,
): Promise<boolean> {
  let request: ReturnType<typeof patchRequest>;
  try {
    request = patchRequest(input);
  } catch {
    return false; // It will fail, and say why.
  }
  return needsConsent(options.workspace ?? context.workspace, request.paths);
}

/** Many files, one transaction. */
export async function runApplyPatch(
  { input }: ApplyPatchToolInput,
  signal: AbortSignal,
  context: ToolContext,
  options: ChangeToolOptions,
): Promise<ToolResult<ApplyPatchToolDetails>> {
  const before = () => requirePlanned(options.workspace ?? context.workspace, context?.plan);
  const applied = await applyPatchWith(engineFor(options, context), input, { signal, before });
  const { report, summary } = applied;
  const details: ApplyPatchToolDetails = withoutUndefined({
    summary,
    changed: report.changed,
    // Copied, so that hashes stay and contents go.
    files: report.files.map((file) => ({ ...file })),
    transactionId: report.transactionId,
    workspaceOnly: options.workspaceOnly,
  });
  return { content: [text(applied.text)], details, receipt: report.changed ? "committed" : "none" };
}
