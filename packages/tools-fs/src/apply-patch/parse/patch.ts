/** A parsed patch. Line numbers count from 1 in the input as it was given. */
export interface Patch {
  sections: PatchSection[];
}

export type PatchSection = AddSection | DeleteSection | UpdateSection;

export interface AddSection {
  kind: "add";
  path: string;
  line: number;
  /** Lines of the new file, without endings. */
  content: string[];
}

export interface DeleteSection {
  kind: "delete";
  path: string;
  line: number;
}

/** `Update File`, `Modify File` or `Move File`. */
export interface UpdateSection {
  kind: "update";
  path: string;
  line: number;
  /** New path, when the file moves. */
  moveTo?: string;
  /** May be empty when the file only moves. */
  hunks: PatchHunk[];
}

export interface PatchHunk {
  /** Where the hunk begins. */
  line: number;
  /** Lines to look for in turn; the hunk lies below the last one, or contains it. */
  anchors: string[];
  /** A numbered header: says where to look first, never where to look only. */
  hint?: LineHint;
  lines: HunkLine[];
  /** The hunk ends at the last line of the file. */
  endOfFile: boolean;
  /** Lines at the end that were empty in the patch: separators rather than context, if they do not fit. */
  trailingBlanks: number;
}

export interface HunkLine {
  kind: "context" | "remove" | "add";
  text: string;
}

/** `@@ -oldStart,oldCount +newStart,newCount @@ heading` */
export interface LineHint {
  oldStart: number;
  oldCount: number;
  /** The line above the hunk that tools like to repeat there, perhaps cut short. */
  heading: string;
  /** The header as it stood: an anchor after all if the file has this very line. */
  raw: string;
}

/** The lines a hunk expects to find. */
export function oldLinesOf(hunk: PatchHunk): string[] {
  return hunk.lines.flatMap(({ kind, text }) => (kind === "add" ? [] : [text]));
}

/** The lines a hunk leaves. */
export function newLinesOf(hunk: PatchHunk): string[] {
  return hunk.lines.flatMap(({ kind, text }) => (kind === "remove" ? [] : [text]));
}
