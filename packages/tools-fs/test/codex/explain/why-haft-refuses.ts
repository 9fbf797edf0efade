import { parsePatch } from "../../../src/apply-patch/parse/parse-patch.ts";
import type { PatchHunk } from "../../../src/apply-patch/parse/patch.ts";
import { oldLinesOf } from "../../../src/apply-patch/parse/patch.ts";
import type { PatchConflict } from "../../../src/apply-patch/place/conflict.ts";
import type { Answer } from "../ask/ask-codex.ts";
import type { HaftAnswer } from "../ask/ask-haft.ts";
import type { Item } from "../items/make-item.ts";
import { linesOf } from "./replay.ts";
import type { RowName } from "./rows.ts";
import { isAlike, whereCodexAnchors, whereCodexPuts } from "./where-codex-puts.ts";
import { isOutside } from "./why-trees-differ.ts";

/** Rows for a patch that Codex applied; nothing if one of the conflicts is not explained. */
export function whyHaftRefuses(
  item: Item,
  codex: Answer,
  { error }: HaftAnswer,
): readonly RowName[] | undefined {
  if (error?.code === "PATCH_INVALID") return isEmptyUpdate(item.patch, error) ? ["empty-update"] : undefined;
  if (error?.code !== "PATCH_CONFLICT") return undefined;
  const { conflicts } = error.details as { conflicts: readonly PatchConflict[] };
  const names = conflicts.map((conflict) => whyConflict(item, codex, conflict));
  return names.every((name) => name !== undefined) ? names : undefined;
}

/** Below the header that Haft names there is nothing but `@@` and blank lines. */
function isEmptyUpdate(patch: string, { details }: NonNullable<HaftAnswer["error"]>): boolean {
  const { line, problem } = details as { line: number; problem: string };
  const below = patch.split("\n").slice(line);
  const end = below.findIndex((each) => each.startsWith("*** "));
  return problem.endsWith("has no hunks") && below.slice(0, end).every((each) => /^(?:@@)?\s*$/.test(each));
}

function whyConflict(item: Item, codex: Answer, conflict: PatchConflict): RowName | undefined {
  const { code, path, patchLine, places = [] } = conflict;
  const { sections } = parsePatch(item.patch);
  const isThere =
    item.files[path] !== undefined || sections.some((each) => each.kind === "add" && each.path === path);
  const isAdded = sections.some((each) => each.kind === "add" && each.line === patchLine);
  if (code === "FILE_EXISTS" || (code === "ALREADY_APPLIED" && isAdded))
    return isThere ? "file-exists" : undefined;
  const section = sections.flatMap((each) => (each.kind === "update" ? [each.hunks] : []));
  const hunks = section.find((each) => each.some(({ line }) => line === patchLine)) ?? [];
  const hunk = hunks.find(({ line }) => line === patchLine);
  if (hunk === undefined) return undefined;
  const lines = linesOf(item.files[path] ?? "");
  if (code === "HUNK_AMBIGUOUS") {
    // A section before this one may have changed the file.
    const after = linesOf(codex.tree?.[path] ?? "");
    const isDoubtful = isAmbiguous(hunk, lines, places) || isTwice(hunk, lines) || isTwice(hunk, after);
    return isDoubtful ? "several-places" : undefined;
  }
  if (conflict.cause === "indentation")
    return isIndentedOtherwise(hunk, lines, path) ? "indentation-is-syntax" : undefined;
  if (isWithoutBlank(hunk, hunks, lines)) return "blank-context";
  const place = (places[0]?.line ?? 0) - 1;
  if (conflict.cause === "outside-anchor" && isElsewhere(hunk, lines, place)) return "outside-anchor";
  if (code === "ALREADY_APPLIED") {
    const theirs = whereCodexPuts(hunks, lines)[hunks.indexOf(hunk)];
    return theirs !== undefined && isElsewhere(hunk, lines, theirs.start) ? "outside-anchor" : undefined;
  }
  const [anchor] = hunk.anchors;
  if (anchor !== undefined && anchor !== anchor.trimEnd()) return "anchor-form";
  if (conflict.cause === "out-of-order" && isBelowOther(hunks.indexOf(hunk), hunks, lines))
    return "outside-anchor";
  if (conflict.cause === "out-of-order" && isAnchoredLoosely(hunk, lines)) return "anchor-above";
  return undefined;
}

const standsAt = (lines: readonly string[], old: readonly string[], at: number): boolean =>
  at >= 0 && old.every((line, index) => isAlike(lines[at + index], line));

/** Two of the places that Haft names, at least, do fit. */
function isAmbiguous(
  hunk: PatchHunk,
  lines: readonly string[],
  places: PatchConflict["places"] = [],
): boolean {
  let old = oldLinesOf(hunk);
  if (hunk.trailingBlanks > 0) old = old.slice(0, -hunk.trailingBlanks);
  if (old.length === 0) return lines.filter((line) => isAlike(line, hunk.anchors[0])).length > 1;
  return places.filter(({ line }) => standsAt(lines, old, line - 1)).length > 1;
}

function isTwice(hunk: PatchHunk, lines: readonly string[]): boolean {
  const old = oldLinesOf(hunk);
  return old.length > 0 && lines.filter((_, at) => standsAt(lines, old, at)).length > 1;
}

const INDENTED = /(?:^|\/)(?:Makefile|[^/]*\.(?:py|yaml))$/;

function isIndentedOtherwise(hunk: PatchHunk, lines: readonly string[], path: string): boolean {
  const all = oldLinesOf(hunk);
  const old = all.slice(0, all.length - hunk.trailingBlanks);
  const exactly = lines.some((_, at) =>
    old.every((line, index) => lines[at + index]?.trimEnd() === line.trimEnd()),
  );
  return INDENTED.test(path) && !exactly && lines.some((_, at) => standsAt(lines, old, at));
}

/** Its last old line is blank, and Codex puts the hunk where only the others stand. */
function isWithoutBlank(hunk: PatchHunk, section: readonly PatchHunk[], lines: readonly string[]): boolean {
  const old = oldLinesOf(hunk);
  if (old.length > 0 && old.every((line) => line === "")) return true;
  const place = whereCodexPuts(section, lines)[section.indexOf(hunk)];
  return old.at(-1) === "" && place !== undefined && place.size < old.length;
}

/** Between its `@@` line and the place something else begins. */
function isElsewhere(hunk: PatchHunk, lines: readonly string[], place: number): boolean {
  return lines.some(
    (line, anchor) => anchor < place && isAlike(line, hunk.anchors.at(-1)) && isOutside(lines, anchor, place),
  );
}

/** A hunk before it is further up for Codex, below its `@@` line, but where something else has begun. */
function isBelowOther(index: number, hunks: readonly PatchHunk[], lines: readonly string[]): boolean {
  const places = whereCodexPuts(hunks, lines);
  return hunks.slice(0, index).some((hunk, before) => {
    const [anchor, place] = [whereCodexAnchors(hunk, lines, 0), places[before]];
    return anchor !== undefined && place !== undefined && isOutside(lines, anchor, place.start);
  });
}

/** The very line stands above, and Codex takes one below that is only like it. */
function isAnchoredLoosely({ anchors: [anchor] }: PatchHunk, lines: readonly string[]): boolean {
  const like = lines.filter((line) => isAlike(line, anchor));
  return like.some((line) => line === anchor) && like.some((line) => line !== anchor);
}
