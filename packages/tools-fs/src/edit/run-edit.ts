import { sha256 } from "@haft/core/internal";
import { type CallPlan, text, type ToolResult, withoutUndefined } from "@haft/plugin-sdk";
import type { ChangeCall } from "../changes/change-call.ts";
import { toFileChangeRequest, describeFile, planChangeCall, runChangeCall } from "../changes/change-call.ts";
import { INDENTATION_NOTES, MATCH_PASS_TEXTS } from "../changes/match/match-pass.ts";
import { type FileChange, formatGuessedEncoding } from "../changes/plan/change-report.ts";
import type { PlannedTree } from "../changes/plan/planned-tree.ts";
import { requireHash } from "../changes/plan/preconditions.ts";
import { requireFileText } from "../changes/text/file-text.ts";
import { type EditRequest, readEdits } from "./edit-request.ts";
import type { EditToolDetails, EditToolInput } from "./edit-schema.ts";
import { planEditsOffThread } from "./plan-off-thread.ts";

type EditCall = ChangeCall<EditToolInput>;

export const editWork = { plan, run };

function plan(call: EditCall): Promise<CallPlan> {
  return planChangeCall(call, changeOf(call));
}

async function run(call: EditCall): Promise<ToolResult<EditToolDetails>> {
  const { report, value: planned } = await runChangeCall(call, changeOf(call));
  if (report.changed) planned.remember();
  const file = report.files[0] as FileChange;
  const { hunks } = file;
  const { replacements } = planned;
  const details = withoutUndefined<EditToolDetails>({ ...describeFile(call, report), replacements, hunks });
  const said = [summary(details), ...formatGuessedEncoding(file)].join("\n");
  return { content: [text(said)], details, receipt: details.changed ? "committed" : "none" };
}

const changeOf = ({ params }: EditCall) => toFileChangeRequest(params.path, (tree) => planEdit(tree, params));

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
  for (const { pass, oldStart, index, indentation } of hunks.slice(0, 10)) {
    if (pass === "exact") continue;
    const which = hunks.length > 1 ? `edit ${index + 1}` : "oldText";
    const written = indentation === undefined ? "" : INDENTATION_NOTES[indentation];
    lines.push(`Note: ${which} was found at line ${oldStart} ${MATCH_PASS_TEXTS[pass]}${written}.`);
  }
  return lines.join("\n");
}

async function planEdit(
  tree: PlannedTree,
  params: EditToolInput,
): Promise<{ replacements: number; remember: () => void }> {
  const edits = readEdits(params);
  const file = await tree.existing(params.path);
  requireHash(file, params.ifMatch);
  requireFileText(params.path, file.now.bytes);
  const { key } = file.target;
  const known = (edit: EditRequest): boolean => wasMade(key, edit);
  const planning = { wasMade: known, signal: tree.signal };
  const { splices, hunks, replaced } = await planEditsOffThread(params.path, file.now.bytes, edits, planning);
  tree.update(file, splices);
  file.hunks.push(...hunks);
  return { replacements: replaced, remember: () => edits.forEach((edit) => rememberEdit(key, edit)) };
}

/** Edits remembered, newest last. */
const MOST = 1_000;

/** Held under a global symbol, so that two copies of this package remember together. */
const MADE = Symbol.for("haft.made-edits");

function made(): Set<string> {
  const holder = globalThis as { [MADE]?: Set<string> };
  holder[MADE] ??= new Set();
  return holder[MADE];
}

/** Notes that this very edit was made in a file, so that its repetition after a lost reply is known as one. */
function rememberEdit(file: string, edit: EditRequest): void {
  const edits = made();
  const key = keyOf(file, edit);
  edits.delete(key);
  edits.add(key);
  if (edits.size > MOST) edits.delete(edits.values().next().value as string);
}

/** @param file The file's key in the queue. */
function wasMade(file: string, edit: EditRequest): boolean {
  return made().has(keyOf(file, edit));
}

function keyOf(file: string, { oldText, newText, replaceAll, expectedCount }: EditRequest): string {
  return sha256(JSON.stringify([file, oldText, newText, replaceAll, expectedCount]), "base64");
}
