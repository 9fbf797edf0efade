import type { ChangePath } from "../../changes/plan/change-contract.ts";

/**
 * A parsed patch. Line numbers count from 1 in the input.
 *
 * @example
 * ```ts
 * import type { Patch } from "@haft/tools-fs/apply-patch";
 * const deletesFiles = ({ sections }: Patch) => sections.some(({ kind }) => kind === "delete");
 * ```
 */
export interface Patch {
  /** Sections in the order of the patch. */
  sections: PatchSection[];
}

export type PatchSection = AddSection | DeleteSection | UpdateSection;

/** An `Add File` section. */
export interface AddSection {
  kind: "add";
  /** Path as in the patch. */
  path: string;
  /** Line of the header. */
  line: number;
  /** Lines of the new file, without line endings. */
  content: string[];
}

/** A `Delete File` section. */
export interface DeleteSection {
  kind: "delete";
  /** Path as in the patch. */
  path: string;
  /** Line of the header. */
  line: number;
}

/** An `Update File`, `Modify File` or `Move File` section. */
export interface UpdateSection {
  kind: "update";
  /** Path as in the patch. */
  path: string;
  /** Line of the header. */
  line: number;
  /** New path, if the file moves. */
  moveTo?: string;
  /** May be empty if the file moves. */
  hunks: PatchHunk[];
}

/** One `@@` part of an update. */
export interface PatchHunk {
  /** First line of the hunk in the patch. */
  line: number;
  /** Lines to find in this order. The hunk is below the last anchor, or contains it. */
  anchors: string[];
  /** Numbered header: the start of the search, never the only location. */
  hint?: LineHint;
  /** Context, removed and added lines in order. */
  lines: HunkLine[];
  /** The hunk must end at the last line of the file. */
  endOfFile: boolean;
  /** Number of empty lines at the end: separators if they do not match. */
  trailingBlanks: number;
}

export interface HunkLine {
  /** First character: a blank, `-` or `+`. */
  kind: "context" | "remove" | "add";
  /** Text without the first character and the line ending. */
  text: string;
}

/** A header `@@ -oldStart,oldCount +newStart,newCount @@ heading`. */
export interface LineHint {
  /** First line of the old text, from 1. */
  oldStart: number;
  /** Number of old lines. */
  oldCount: number;
  /** Line above the hunk, possibly cut. */
  heading: string;
  /** Original header: an anchor if the file has this line. */
  raw: string;
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
