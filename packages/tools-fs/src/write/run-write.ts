import { text, withoutUndefined } from "@haft/plugin-sdk";
import type { CallPlan, PlanContext, ToolContext, ToolResult } from "@haft/plugin-sdk";
import { planChangeCall, runChangeCall } from "../changes/change-call.ts";
import { isWorkspaceOnly } from "../changes/engine-for.ts";
import type { ChangeReport, FileChange } from "../changes/plan/change-report.ts";
import type { PlannedTree } from "../changes/plan/planned-tree.ts";
import type { KeptForm } from "../changes/text/adopt-form.ts";
import type { ChangeToolOptions } from "../changes/tool-options.ts";
import { planWrite, summary } from "./plan-write.ts";
import type { WriteToolDetails, WriteToolInput } from "./write-schema.ts";

/** The file a call is about, and how it would change. */
export function planWriteCall(
  params: WriteToolInput,
  signal: AbortSignal,
  context: PlanContext,
  options: ChangeToolOptions,
): Promise<CallPlan> {
  return planChangeCall(changeOf(params), signal, context, options);
}

function changeOf(params: WriteToolInput) {
  return {
    paths: [{ path: params.path }],
    plan: (tree: PlannedTree) => planWrite(tree, params),
    refineDiff: true,
  };
}

/** One file, whole content, atomically. */
export async function runWrite(
  params: WriteToolInput,
  signal: AbortSignal,
  context: ToolContext,
  options: ChangeToolOptions,
): Promise<ToolResult<WriteToolDetails>> {
  const { report, value: kept } = await runChangeCall(changeOf(params), signal, context, options);
  const details = describe(report, kept, isWorkspaceOnly(options, context));
  return {
    content: [text(summary(details, report.files[0] as FileChange))],
    details,
    receipt: details.changed ? "committed" : "none",
  };
}

function describe(
  report: ChangeReport,
  kept: readonly KeptForm[],
  workspaceOnly: boolean | undefined,
): WriteToolDetails {
  const file = report.files[0] as FileChange;
  return withoutUndefined({
    path: file.path,
    bytesWritten: report.changed ? file.bytesAfter : 0,
    created: file.kind === "added",
    changed: report.changed,
    kept: kept.length === 0 ? undefined : kept,
    hash: file.after ?? "",
    diff: file.diff,
    firstChangedLine: file.firstChangedLine,
    transactionId: report.transactionId,
    workspaceOnly,
  });
}
