import { text, type ToolResult } from "@haft/plugin-sdk";
import { withoutUndefined, sha256 } from "@haft/utils";
import { type ChangeCall, describeFile } from "../changes/change-call.ts";
import { INDENTATION_NOTES, MATCH_PASS_TEXTS } from "../changes/match/match-pass.ts";
import { type ChangeReport, type FileChange, formatGuessedEncoding } from "../changes/plan/change-report.ts";
import { invalidBytesError } from "../changes/text/file-text.ts";
import { hasMarks } from "../content/encoding.ts";
import type { EditRequest } from "./edit-request.ts";

export { planChangeCall, runChangeCall, toFileChangeRequest } from "../changes/change-call.ts";
export { requireHash } from "../changes/plan/preconditions.ts";
export { requireFileText } from "../changes/text/file-text.ts";
export { readEdits } from "./edit-request.ts";
export { planEditsOffThread } from "./plan-off-thread.ts";

/** @throws `INVALID_TEXT` for an old text that touches bytes that are not UTF-8 */
export function requireUnmarked(path: string, bytes: Buffer, edits: readonly EditRequest[]): void {
  const index = edits.findIndex(({ oldText }) => hasMarks(oldText, bytes));
  if (index < 0) return;
  throw invalidBytesError(path, edits.length > 1 ? `oldText of edit ${index + 1}` : "oldText");
}

/**
 * Describes the `details` of `edit`.
 *
 * @example
 * ```ts
 * import type { EditToolDetails } from "@haft/tools-fs";
 * const describe = ({ path, replacements, firstChangedLine, diff }: EditToolDetails) =>
 *   `${path}:${firstChangedLine} ${replacements} replacements\n${diff ?? ""}`;
 * ```
 */
export interface EditToolDetails {
  /** Contains the path as the call has it. */
  path: string;
  /** Whether the file has changed. */
  changed: boolean;
  /** Number of replacements. */
  replacements: number;
  /** Contains the SHA-256 of the file after the call, for a later `ifMatch`. */
  hash: string;
  /** Contains a unified diff. Absent if the file is unchanged or the diff is too large. */
  diff?: string;
  /** Contains the first changed line, from 1. */
  firstChangedLine?: number;
  /** Describes the match of each edit. */
  hunks: FileChange["hunks"];
  /** Identifies the edits for undo, if there is a journal. */
  transactionId?: string;
  /** Contains the option `workspaceOnly`, or its value for the tool's name. */
  workspaceOnly?: boolean;
}

export function editResult(
  call: ChangeCall,
  report: ChangeReport,
  replacements: number,
): ToolResult<EditToolDetails> {
  const file = report.files[0] as FileChange;
  const { hunks } = file;
  const details = withoutUndefined<EditToolDetails>({ ...describeFile(call, report), replacements, hunks });
  const message = [summary(details), ...formatGuessedEncoding(file)].join("\n");
  return { content: [text(message)], details, receipt: details.changed ? "committed" : "none" };
}

function summary({ path, changed, hunks }: EditToolDetails): string {
  const applied = hunks.filter((hunk) => hunk.alreadyApplied === true);
  const lines: string[] = [];
  if (changed) lines.push(`Successfully edited ${path}`);
  else if (applied.length > 0) {
    const where = applied.map(({ newStart }) => newStart).join(", ");
    lines.push(`No change to ${path}: oldText is not in it, and newText already is, at line ${where}.`);
  } else lines.push(`No change to ${path}: newText equals the current text.`);
  if (changed && applied.length > 0) {
    lines.push(`Already applied: ${applied.map(({ index }) => `edit ${index + 1}`).join(", ")}.`);
  }
  for (const { pass, oldStart, index, indentation } of hunks.slice(0, 10)) {
    if (pass === "exact") continue;
    const which = hunks.length > 1 ? `edit ${index + 1}` : "oldText";
    const written = indentation === undefined ? "" : INDENTATION_NOTES[indentation];
    lines.push(`Note: ${which} was found at line ${oldStart} ${MATCH_PASS_TEXTS[pass]}${written}.`);
  }
  return lines.join("\n");
}

const MOST = 1_000;

/** A global symbol shares the memory between copies of this package. */
const MADE = Symbol.for("haft.made-edits");

function made(): Set<string> {
  const holder = globalThis as { [MADE]?: Set<string> };
  holder[MADE] ??= new Set();
  return holder[MADE];
}

/**
 * Detects their repetition after a lost reply.
 *
 * @param file The file's key in the queue.
 */
export function rememberEdits(file: string, edits: readonly EditRequest[]): void {
  const all = made();
  for (const edit of edits) {
    const key = keyOf(file, edit);
    all.delete(key);
    all.add(key);
    if (all.size > MOST) all.delete(all.values().next().value as string);
  }
}

export function wasMade(file: string, edit: EditRequest): boolean {
  return made().has(keyOf(file, edit));
}

function keyOf(file: string, { oldText, newText, replaceAll, expectedCount }: EditRequest): string {
  return sha256(JSON.stringify([file, oldText, newText, replaceAll, expectedCount]), "base64");
}
