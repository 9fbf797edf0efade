import type { ChangePath } from "../../changes/plan/change-contract.ts";

/**
 * Describes a parsed patch. Line numbers count from 1 in the input.
 *
 * @example
 * ```ts
 * import type { Patch } from "@haft/tools-fs/apply-patch";
 * const deletesFiles = ({ sections }: Patch) => sections.some(({ kind }) => kind === "delete");
 * ```
 */
export interface Patch {
  /** Contains the sections in the order of the patch. */
  sections: PatchSection[];
}

export type PatchSection = AddSection | DeleteSection | UpdateSection;

/** Describes an `Add File` section. */
export interface AddSection {
  kind: "add";
  /** Contains the path as the patch has it. */
  path: string;
  /** Contains the line of the section's header. */
  line: number;
  /** Contains the lines of the new file, without line endings. */
  content: string[];
}

/** Describes a `Delete File` section. */
export interface DeleteSection {
  kind: "delete";
  /** Contains the path as the patch has it. */
  path: string;
  /** Contains the line of the section's header. */
  line: number;
}

/** Describes an `Update File`, `Modify File` or `Move File` section. */
export interface UpdateSection {
  kind: "update";
  /** Contains the path as the patch has it. */
  path: string;
  /** Contains the line of the section's header. */
  line: number;
  /** Contains the new path, if the file moves. */
  moveTo?: string;
  /** Contains the hunks. May be empty if the file moves. */
  hunks: PatchHunk[];
}

/** Describes one `@@` part of an update. */
export interface PatchHunk {
  /** Contains the first line of the hunk in the patch. */
  line: number;
  /** Lists lines to find in this order. The hunk is below the last anchor, or contains it. */
  anchors: string[];
  /** Contains a numbered header: the start of the search, never the only location. */
  hint?: LineHint;
  /** Contains context, removed and added lines in order. */
  lines: HunkLine[];
  /** The hunk must end at the last line of the file. */
  endOfFile: boolean;
  /** Counts empty lines at the end: separators rather than context if they do not match. */
  trailingBlanks: number;
  /** Contains the kinds of lines that `\ No newline at end of file` follows. */
  openEnds?: Partial<Record<HunkLine["kind"], true>>;
}

export interface HunkLine {
  /** Identifies the first character: a blank, `-` or `+`. */
  kind: "context" | "remove" | "add";
  /** Contains the text without the first character and the line ending. */
  text: string;
}

/** Describes `@@ -oldStart,oldCount +newStart,newCount @@ heading`. */
export interface LineHint {
  /** Contains the first line of the old text, from 1. */
  oldStart: number;
  /** Contains the number of old lines. */
  oldCount: number;
  /** Line above the hunk, possibly cut. */
  heading: string;
  /** Contains the original header: an anchor if the file has this line. */
  raw: string;
}

/** Returns whether a hunk at the end of the file adds or removes the final line ending. */
export function changesFinalNewline({ openEnds = {} }: PatchHunk): "add" | "remove" | undefined {
  if (openEnds.context === true || openEnds.add === openEnds.remove) return undefined;
  return openEnds.remove === true ? "add" : "remove";
}

export function getOldLines(hunk: PatchHunk): string[] {
  return hunk.lines.flatMap(({ kind, text }) => (kind === "add" ? [] : [text]));
}

export function getNewLines(hunk: PatchHunk): string[] {
  return hunk.lines.flatMap(({ kind, text }) => (kind === "remove" ? [] : [text]));
}

/**
 * Returns every path that a patch may change.
 *
 * @example
 * ```ts run
 * import { listPatchPaths, parsePatch } from "@haft/tools-fs/apply-patch";
 * const patch = parsePatch("*** Begin Patch\n*** Move File: a.md -> b.md\n*** End Patch");
 * listPatchPaths(patch).map(({ path }) => path); // => ["a.md", "b.md"]
 * ```
 */
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
