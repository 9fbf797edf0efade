import type { PlannedTree } from "../changes/plan/planned-tree.ts";
import { requireHash } from "../changes/plan/preconditions.ts";
import { requireText } from "../changes/text/file-text.ts";
import { type EditRequest, readEdits } from "./edit-request.ts";
import type { EditToolInput } from "./edit-schema.ts";
import { rememberEdit, wasMade } from "./made-edits.ts";
import { planEdits } from "./plan-edits.ts";

/** Plans the edits of one call. `remember` is for when they have been made. */
export async function planEdit(
  tree: PlannedTree,
  params: EditToolInput,
): Promise<{ replacements: number; remember: () => void }> {
  const edits = readEdits(params);
  const file = await tree.existing(params.path);
  requireHash(file, params.ifMatch);
  requireText(params.path, file.now.bytes);
  const { key } = file.target;
  const known = (edit: EditRequest): boolean => wasMade(key, edit);
  const { splices, hunks, replaced } = planEdits(params.path, file.now.bytes, edits, known);
  tree.update(file, splices);
  file.hunks.push(...hunks);
  return { replacements: replaced, remember: () => edits.forEach((edit) => rememberEdit(key, edit)) };
}
