import { withoutUndefined } from "@haft/utils";
import type { HunkReport } from "../changes/plan/change-report.ts";
import type { PlannedFile, PlannedTree } from "../changes/plan/planned-tree.ts";
import { applyConventions } from "../changes/text/conventions.ts";
import { invalidBytesError, requireFileText } from "../changes/text/file-text.ts";
import { bomLength, hasMarks } from "../content/encoding.ts";
import { fileToolError } from "../errors.ts";
import { EventLoopYielder } from "../scheduling/event-loop-yielder.ts";
import { locateSectionOffThread } from "./locate-off-thread.ts";
import { conflictError, MAX_CONFLICTS, type PatchConflict } from "./locate/conflict.ts";
import type { AppliedHunk, HunkPlacement, LocatedHunk } from "./locate/hunk-placement.ts";
import type { AddSection, DeleteSection, Patch, PatchSection, UpdateSection } from "./parse/patch.ts";
import { changesFinalNewline, getNewLines, getOldLines } from "./parse/patch.ts";

interface SectionOutcome {
  changes: boolean;
  missing?: boolean;
  conflicts?: readonly PatchConflict[];
  applied?: readonly PatchConflict[];
}

const PLANNED: SectionOutcome = { changes: true };

/**
 * Plans all sections in order, each on the results of earlier sections.
 *
 * @throws `PATCH_CONFLICT` with all conflicts; `UNSUPPORTED_ENCODING` or `BINARY_FILE` for a file that cannot be updated as text
 */
export async function planPatch(tree: PlannedTree, patch: Patch): Promise<void> {
  const outcomes: SectionOutcome[] = [];
  const turns = new EventLoopYielder();
  let found = 0;
  for (const section of patch.sections) {
    const explained = Math.max(0, MAX_CONFLICTS - found);
    const outcome = await planSection(tree, section, explained);
    outcomes.push(outcome);
    found += outcome.conflicts?.length ?? 0;
    await turns.pause();
  }
  const conflicts = outcomes.flatMap((outcome) => outcome.conflicts ?? []);
  const applied = outcomes.flatMap((outcome) => outcome.applied ?? []);
  const changes = outcomes.some((outcome) => outcome.changes);
  // A missing file proves a repeated deletion or move only if the rest of the patch was also applied.
  const repeated = applied.length > 0 && !changes;
  for (const [index, outcome] of outcomes.entries()) {
    const { path, line } = patch.sections[index] as PatchSection;
    if (outcome.missing !== true || repeated) continue;
    const similar = conflicts.length < MAX_CONFLICTS ? await tree.similarPaths(path) : [];
    const conflict = { code: "FILE_NOT_FOUND" as const, path, patchLine: line };
    conflicts.push(similar.length > 0 ? { ...conflict, similar } : conflict);
  }
  // A patch changes everything, or nothing because all of it is applied.
  const all = conflicts.length === 0 && changes ? applied : conflicts;
  if (all.length > 0) throw conflictError(all);
}

async function planSection(
  tree: PlannedTree,
  section: PatchSection,
  explained: number,
): Promise<SectionOutcome> {
  switch (section.kind) {
    case "add":
      return await planAdd(tree, section);
    case "delete":
      return await planDelete(tree, section);
    case "update":
      return await planUpdate(tree, section, explained);
  }
}

async function planAdd(tree: PlannedTree, section: AddSection): Promise<SectionOutcome> {
  const file = await tree.file(section.path);
  const text = section.content.map((line) => `${line}\n`).join("");
  const bytes = applyConventions(text, await tree.conventions(file));
  if (file.now === undefined) {
    tree.put(file, bytes);
    return PLANNED;
  }
  const { path, line } = section;
  if (file.now.bytes.equals(bytes)) {
    const conflict = { code: "ALREADY_APPLIED" as const, path, patchLine: line };
    return { changes: false, applied: [{ ...conflict, cause: "already-applied" }] };
  }
  return { changes: true, conflicts: [{ code: "FILE_EXISTS", path, patchLine: line }] };
}

async function planDelete(tree: PlannedTree, section: DeleteSection): Promise<SectionOutcome> {
  const file = await tree.file(section.path, true);
  if (file.now === undefined) return { changes: false, missing: true };
  tree.remove(file);
  return PLANNED;
}

async function planUpdate(
  tree: PlannedTree,
  section: UpdateSection,
  explained: number,
): Promise<SectionOutcome> {
  const { path, moveTo } = section;
  const file = await tree.file(path, moveTo !== undefined);
  const target = moveTo === undefined ? undefined : await tree.file(moveTo, true);
  if (file.now === undefined) {
    const moved = target?.now === undefined ? [] : await placedIn(tree, section, target.now.bytes);
    const made = moved.filter((placement) => placement.kind === "applied");
    return moved.length > 0 && made.length === moved.length
      ? { changes: false, applied: describeApplied(section, moved) }
      : { changes: false, missing: true };
  }
  const outcome =
    section.hunks.length === 0 ? { changes: false } : await planHunks(tree, section, file, explained);
  if (target === undefined || target === file) return outcome;
  if (target.now !== undefined && !tree.isSameFile(file, target)) {
    const conflict = { code: "FILE_EXISTS" as const, path: moveTo as string, patchLine: section.line };
    return { changes: true, conflicts: [...(outcome.conflicts ?? []), conflict] };
  }
  tree.move(file, target);
  target.hunks.push(...file.hunks.splice(0));
  return { ...outcome, changes: true };
}

async function placedIn(
  tree: PlannedTree,
  { path, hunks }: UpdateSection,
  bytes: Buffer,
): Promise<HunkPlacement[]> {
  const job = { path, bytes, hunks, ending: "\n" as const, explained: 0 };
  return (await locateSectionOffThread(job, tree.signal)).placements;
}

async function planHunks(
  tree: PlannedTree,
  section: UpdateSection,
  file: PlannedFile,
  explained: number,
): Promise<SectionOutcome> {
  const { path, hunks } = section;
  const bytes = file.now?.bytes ?? Buffer.alloc(0);
  requireFileText(path, bytes);
  for (const { line, lines } of hunks) {
    const removed = lines.find(({ kind, text }) => kind === "remove" && hasMarks(text, bytes));
    if (removed !== undefined)
      throw invalidBytesError(path, `A removed line of the hunk at patch line ${line}`);
  }
  requireSameMark(path, hunks);
  const isEmpty = bytes.length === bomLength(bytes);
  const ending = isEmpty ? ((await tree.conventions(file)).lineEnding ?? "\n") : "\n";
  const { placements, conflicts, splices } = await locateSectionOffThread(
    { path, bytes, hunks, ending, explained },
    tree.signal,
  );
  if (conflicts.length > 0) return { changes: true, conflicts };
  tree.update(file, splices);
  file.hunks.push(...reportHunks(placements));
  const located = placements.filter((placement) => placement.kind === "located");
  return { changes: located.some(changesLines), applied: describeApplied(section, placements) };
}

/** A byte order mark belongs to no line, so a hunk with one would change nothing. */
function requireSameMark(path: string, hunks: UpdateSection["hunks"]): void {
  const hasMark = (lines: readonly string[]): boolean => lines.some((line) => line.startsWith("\uFEFF"));
  const hunk = hunks.find((each) => hasMark(getOldLines(each)) !== hasMark(getNewLines(each)));
  if (hunk === undefined) return;
  const message = `The hunk at patch line ${hunk.line} adds or removes the byte order mark of ${path}, which belongs to no line. Nothing was changed.`;
  throw fileToolError("INVALID_TEXT", message, {
    fix: 'Leave the mark out of the patch. To remove it, use edit with oldText "\\uFEFF" and an empty newText.',
    details: { path, patchLine: hunk.line },
  });
}

function describeApplied({ path }: UpdateSection, placements: readonly HunkPlacement[]): PatchConflict[] {
  return placements.flatMap((placement, index): PatchConflict[] => {
    if (placement.kind !== "applied") return [];
    const { hunk, start } = placement;
    const expected = getNewLines(hunk).slice(0, 8).join("\n").slice(0, 800).toWellFormed();
    const where = { path, patchLine: hunk.line, hunk: index, places: [{ line: start + 1 }] };
    return [{ ...where, code: "ALREADY_APPLIED", cause: "already-applied", expected }];
  });
}

const changesLines = ({ hunk }: LocatedHunk): boolean =>
  changesFinalNewline(hunk) !== undefined || getOldLines(hunk).join("\n") !== getNewLines(hunk).join("\n");

function reportHunks(placements: readonly HunkPlacement[]): HunkReport[] {
  const placed = placements.flatMap((placement, index) =>
    placement.kind === "conflict" ? [] : [{ placement, index }],
  );
  const reports: HunkReport[] = [];
  let shift = 0;
  for (const { placement, index } of placed.toSorted((a, b) => a.placement.start - b.placement.start)) {
    reports.push(reportHunk(placement, index, shift));
    if (placement.kind === "located") shift += growthOf(placement);
  }
  return reports.toSorted((a, b) => a.index - b.index);
}

function reportHunk(placement: LocatedHunk | AppliedHunk, index: number, shift: number): HunkReport {
  const { hunk, start, size } = placement;
  const applied = placement.kind === "applied";
  return withoutUndefined({
    index,
    patchLine: hunk.line,
    oldStart: start + 1,
    oldLines: size,
    newStart: start + 1 + shift,
    newLines: applied ? size : size + growthOf(placement),
    pass: applied ? "exact" : placement.pass,
    offset: hunk.hint && start + 1 - hunk.hint.oldStart,
    candidates: applied ? 1 : placement.candidates,
    alreadyApplied: applied || undefined,
    indentation: applied ? undefined : placement.newLines,
  });
}

function growthOf({ hunk }: LocatedHunk): number {
  return hunk.lines.reduce((sum, { kind }) => sum + (kind === "add" ? 1 : kind === "remove" ? -1 : 0), 0);
}
