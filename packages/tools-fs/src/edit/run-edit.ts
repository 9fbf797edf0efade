import { type CallPlan, text, type ToolResult, withoutUndefined } from "@haft/plugin-sdk";
import {
  type ChangeCall,
  changeOfFile,
  describeFile,
  planChangeCall,
  runChangeCall,
} from "../changes/change-call.ts";
import { describePass } from "../changes/match/match-pass.ts";
import type { FileChange } from "../changes/plan/change-report.ts";
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
  if (report.changed) planned.remember();
  const { hunks } = report.files[0] as FileChange;
  const { replacements } = planned;
  const details = withoutUndefined<EditToolDetails>({ ...describeFile(call, report), replacements, hunks });
  return { content: [text(summary(details))], details, receipt: details.changed ? "committed" : "none" };
}

const changeOf = ({ params }: EditCall) => changeOfFile(params.path, (tree) => planEdit(tree, params));

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
