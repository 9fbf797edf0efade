import { type CallPlan, text, type ToolResult, withoutUndefined } from "@haft/plugin-sdk";
import { type ChangeCall, isWorkspaceOnly, planChangeCall, runChangeCall } from "../changes/change-call.ts";
import type { ChangeReport, FileChange } from "../changes/plan/change-report.ts";
import type { PlannedTree } from "../changes/plan/planned-tree.ts";
import type { KeptForm } from "../changes/text/adopt-form.ts";
import { planWrite, summary } from "./plan-write.ts";
import type { WriteToolDetails, WriteToolInput } from "./write-schema.ts";

type WriteCall = ChangeCall<WriteToolInput>;

/** The file a call is about, and how it would change. */
export function plan(call: WriteCall): Promise<CallPlan> {
  return planChangeCall(call, changeOf(call));
}

/** One file, whole content, atomically. */
export async function run(call: WriteCall): Promise<ToolResult<WriteToolDetails>> {
  const { report, value: kept } = await runChangeCall(call, changeOf(call));
  const details = describe(report, kept, isWorkspaceOnly(call));
  return {
    content: [text(summary(details, report.files[0] as FileChange))],
    details,
    receipt: details.changed ? "committed" : "none",
  };
}

function changeOf({ params }: WriteCall) {
  return {
    paths: [{ path: params.path }],
    plan: (tree: PlannedTree) => planWrite(tree, params),
    refineDiff: true,
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
