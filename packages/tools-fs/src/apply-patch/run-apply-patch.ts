import { type CallPlan, text, type ToolResult, type Workspace, withoutUndefined } from "@haft/plugin-sdk";
import { type ChangeCall, planChangeCall, runChangeCall } from "../changes/change-call.ts";
import { previewFailure } from "../changes/plan/preview-change.ts";
import { needsConsent } from "../paths/planned-paths.ts";
import type { ApplyPatchToolDetails, ApplyPatchToolInput } from "./apply-patch-schema.ts";
import { describePatch, patchRequest } from "./apply-patch.ts";

type PatchCall = ChangeCall<ApplyPatchToolInput>;

export const applyPatchWork = { plan, run, patchNeedsConsent };

async function plan(call: PatchCall): Promise<CallPlan> {
  let request: ReturnType<typeof patchRequest>;
  try {
    request = patchRequest(call.params.input);
  } catch (thrown) {
    // Which files it is about is not known, so rules on paths cannot let it pass.
    return { preview: previewFailure(thrown) };
  }
  return planChangeCall(call, request);
}

async function patchNeedsConsent({ input }: ApplyPatchToolInput, workspace: Workspace): Promise<boolean> {
  let request: ReturnType<typeof patchRequest>;
  try {
    request = patchRequest(input);
  } catch {
    return false; // It will fail, and say why.
  }
  return needsConsent(workspace, request.paths);
}

async function run(call: PatchCall): Promise<ToolResult<ApplyPatchToolDetails>> {
  const request = patchRequest(call.params.input);
  const { report } = await runChangeCall(call, { ...request, hashBefore: true });
  const { summary, text: said } = describePatch(report);
  const details: ApplyPatchToolDetails = withoutUndefined({
    summary,
    changed: report.changed,
    // Copied, so that hashes stay and contents go.
    files: report.files.map((file) => ({ ...file })),
    transactionId: report.transactionId,
    workspaceOnly: call.options.workspaceOnly,
  });
  return { content: [text(said)], details, receipt: report.changed ? "committed" : "none" };
}
