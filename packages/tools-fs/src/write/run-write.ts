import { text, withoutUndefined } from "@haft/plugin-sdk";
import type { CallPlan, PlanContext, ToolContext, ToolResult } from "@haft/plugin-sdk";
import { engineFor, isWorkspaceOnly } from "../changes/engine-for.ts";
import type { ChangeReport, FileChange } from "../changes/plan/change-report.ts";
import { previewOf } from "../changes/plan/preview-change.ts";
import type { KeptForm } from "../changes/text/adopt-form.ts";
import type { ChangeToolOptions } from "../changes/tool-options.ts";
import { planPaths, requirePlanned } from "../paths/planned-paths.ts";
import { planWrite, summary } from "./plan-write.ts";
import type { WriteToolDetails, WriteToolInput } from "./write-schema.ts";

/** The file a call is about, and how it would change. */
export async function planWriteCall(
  params: WriteToolInput,
  signal: AbortSignal,
  context: PlanContext,
  options: ChangeToolOptions,
): Promise<CallPlan> {
  const workspace = options.workspace ?? context.workspace;
  const { paths, ...planned } = await planPaths(workspace, [{ path: params.path, access: "write" }]);
  const shown = await previewOf(engineFor(options, context), {
    paths: [{ path: params.path }],
    plan: (tree) => planWrite(tree, params),
    refineDiff: true,
    signal,
  });
  return { subjects: { paths }, ...planned, ...shown };
}

/** One file, whole content, atomically. */
export async function runWrite(
  params: WriteToolInput,
  signal: AbortSignal,
  context: ToolContext,
  options: ChangeToolOptions,
): Promise<ToolResult<WriteToolDetails>> {
  const { report, value: kept } = await engineFor(options, context).change({
    paths: [{ path: params.path }],
    plan: async (tree) => {
      await requirePlanned(options.workspace ?? context.workspace, context?.plan);
      return planWrite(tree, params);
    },
    refineDiff: true,
    signal,
  });
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
