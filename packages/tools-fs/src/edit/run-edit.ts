import { type CallPlan, text, type ToolResult, withoutUndefined } from "@haft/plugin-sdk";
import { type ChangeCall, isWorkspaceOnly, planChangeCall, runChangeCall } from "../changes/change-call.ts";
import { describePass } from "../changes/match/match-pass.ts";
import type { ChangeReport, FileChange } from "../changes/plan/change-report.ts";
import type { PlannedTree } from "../changes/plan/planned-tree.ts";
import type { EditToolDetails, EditToolInput } from "./edit-schema.ts";
import { planEdit } from "./plan-edit.ts";

type EditCall = ChangeCall<EditToolInput>;

/** The file a call is about, and how it would change. */
export function plan(call: EditCall): Promise<CallPlan> {
  return planChangeCall(call, changeOf(call));
}

/** Finds text, replaces it, leaves every other byte alone. */
export async function run(call: EditCall): Promise<ToolResult<EditToolDetails>> {
  const { report, value: planned } = await runChangeCall(call, changeOf(call));
  const { replacements, remember } = planned;
  if (report.changed) remember();
  const details = describe(report, replacements, isWorkspaceOnly(call));
  return { content: [text(summary(details))], details, receipt: details.changed ? "committed" : "none" };
}

function changeOf({ params }: EditCall) {
  return {
    paths: [{ path: params.path }],
    plan: (tree: PlannedTree) => planEdit(tree, params),
    refineDiff: true,
  };
}

function describe(report: ChangeReport, replacements: number, workspaceOnly?: boolean): EditToolDetails {
  const file = report.files[0] as FileChange;
  return withoutUndefined({
    path: file.path,
    changed: report.changed,
    replacements,
    hash: file.after ?? "",
    diff: file.diff,
    firstChangedLine: file.firstChangedLine,
    hunks: file.hunks,
    transactionId: report.transactionId,
    workspaceOnly,
  });
}

function summary({ path, changed, hunks }: EditToolDetails): string {
  const applied = hunks.filter((hunk) => hunk.alreadyApplied === true);
  const lines: string[] = [];
  if (changed) lines.push(`Successfully edited ${path}`);
  else if (applied.length > 0) {
    const where = applied.map(({ newStart }) => newStart).join(", ");
    lines.push(`No change to ${path}: oldText is not in it, and newText already is, at line ${where}.`);
  } else lines.push(`No change to ${path}: newText is the same as what is there.`);
  if (changed && applied.length > 0) {
    lines.push(
      `Already there, so left alone: ${applied.map(({ index }) => `edit ${index + 1}`).join(", ")}.`,
    );
  }
  for (const { pass, oldStart, index } of hunks.slice(0, 10)) {
    if (pass === "exact") continue;
    const which = hunks.length > 1 ? `edit ${index + 1}` : "oldText";
    lines.push(`Note: ${which} was found at line ${oldStart} ${describePass(pass)}.`);
  }
  return lines.join("\n");
}
