import type { ChangePath } from "../../changes/plan/change-contract.ts";

/** A parsed patch. Line numbers count from 1 in the input as it was given. */
export interface Patch {
  /** In the order in which they stand. */
  sections: PatchSection[];
}

/** What a patch says of one file. */
export type PatchSection = AddSection | DeleteSection | UpdateSection;

/** `Add File` */
export interface AddSection {
  /** Tells it from the other sections. */
  kind: "add";
  /** As the patch spells it. */
  path: string;
  /** Where its header stands in the patch. */
  line: number;
  /** Lines of the new file, without endings. */
  content: string[];
}

/** `Delete File` */
export interface DeleteSection {
  /** Tells it from the other sections. */
  kind: "delete";
  /** As the patch spells it. */
  path: string;
  /** Where its header stands in the patch. */
  line: number;
}

/** `Update File`, `Modify File` or `Move File`. */
export interface UpdateSection {
  /** Tells it from the other sections. */
  kind: "update";
  /** As the patch spells it. */
  path: string;
  /** Where its header stands in the patch. */
  line: number;
  /** New path, when the file moves. */
  moveTo?: string;
  /** May be empty when the file only moves. */
  hunks: PatchHunk[];
}

/** One `@@` part of an update. */
export interface PatchHunk {
  /** Where the hunk begins. */
  line: number;
  /** Lines to look for in turn; the hunk lies below the last one, or contains it. */
  anchors: string[];
  /** A numbered header: says where to look first, never where to look only. */
  hint?: LineHint;
  /** Context, removed and added lines in order. */
  lines: HunkLine[];
  /** The hunk ends at the last line of the file. */
  endOfFile: boolean;
  /** Lines at the end that were empty in the patch: separators rather than context, if they do not fit. */
  trailingBlanks: number;
}

/** One line of a hunk. */
export interface HunkLine {
  /** By its first character: a blank, `-` or `+`. */
  kind: "context" | "remove" | "add";
  /** Without the first character and the line ending. */
  text: string;
}

/** `@@ -oldStart,oldCount +newStart,newCount @@ heading` */
export interface LineHint {
  /** First line of the old text, from 1. */
  oldStart: number;
  /** Lines of the old text. */
  oldCount: number;
  /** The line above the hunk that tools like to repeat there, perhaps cut short. */
  heading: string;
  /** The header as it stood: an anchor after all if the file has this very line. */
  raw: string;
}

export function getOldLines(hunk: PatchHunk): string[] {
  return hunk.lines.flatMap(({ kind, text }) => (kind === "add" ? [] : [text]));
}

export function getNewLines(hunk: PatchHunk): string[] {
  return hunk.lines.flatMap(({ kind, text }) => (kind === "remove" ? [] : [text]));
}

/** Every path a patch may touch. */
export function listPatchPaths(patch: Patch): ChangePath[] {
  return patch.sections.flatMap((section): ChangePath[] => {
    if (section.kind === "add") return [{ path: section.path }];
    if (section.kind === "delete") return [{ path: section.path, unlink: true }];
    if (section.moveTo === undefined) return [{ path: section.path }];
    return [
      { path: section.path, unlink: true },
      { path: section.moveTo, unlink: true },
    ];
  });
}
