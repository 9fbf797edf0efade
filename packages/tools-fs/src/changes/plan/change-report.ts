import { encodingName } from "../../content/codecs.ts";

/**
 * Describes one file of a change.
 *
 * @example
 * ```ts
 * import type { FileChange } from "@haft/tools-fs";
 * const statistics = (files: readonly FileChange[]) =>
 *   files.map(({ path, kind, added, removed }) => `${kind} ${path} +${added} -${removed}`);
 * ```
 */
export interface FileChange {
  /** Contains the path as the caller wrote it. */
  path: string;
  /** Identifies the kind of change. */
  kind: "added" | "modified" | "deleted" | "moved" | "unchanged";
  /** Contains the old path of a moved file. */
  from?: string;
  /**
   * Contains the SHA-256 before the change, in hex; `null` without a file or if it was too large to read. It is computed at the first read,
   * and the old content remains in memory until then: copy the object to store it.
   */
  before: string | null;
  /** Contains the SHA-256 after the change, in hex; `null` without a file or if it is too large to read. */
  after: string | null;
  /** Contains the size before the change in bytes; 0 without a file. */
  bytesBefore: number;
  /** Contains the size after the change in bytes; 0 without a file. */
  bytesAfter: number;
  /** Counts added lines in the diff. */
  added: number;
  /** Counts removed lines in the diff. */
  removed: number;
  /** Contains the first line of the new file that differs, from 1. */
  firstChangedLine?: number;
  /** Contains a unified diff with three lines of context. */
  diff?: string;
  /** States why there is no diff. */
  diffOmitted?: "binary" | "too large";
  /** Describes each requested replacement. Lines count from 1. */
  hunks: readonly {
    /** Contains the index in the request, from 0: of the edit, or of the hunk within its file section. */
    index: number;
    /** Contains the first line of the hunk in the patch. */
    patchLine?: number;
    oldStart: number;
    /** Counts lines before; 0 for an insertion. */
    oldLines: number;
    newStart: number;
    newLines: number;
    /** States which differences the match ignored. */
    pass: "exact" | "trailing-space" | "surrounding-space" | "punctuation";
    /** Contains the distance from the announced line. */
    offset?: number;
    /** Counts equally good matches before the choice. */
    candidates: number;
    /**
     * Present if the file uses another indentation. `adopted`: the new lines got it. `as-given`: it could not be determined, and the new
     * lines are unchanged.
     */
    indentation?: "adopted" | "as-given";
    /** Indicates that the file already contained the new text, so nothing was done. */
    alreadyApplied?: boolean;
  }[];
  /** Names the encoding, if it is not UTF-8. */
  encoding?: "utf-16le" | "utf-16be" | "windows-1252";
  /** Indicates that the encoding was guessed from the content. */
  encodingGuessed?: true;
  /** Indicates that a deleted file was too large to store: the deletion cannot be undone. */
  irreversible?: boolean;
  /** Indicates that this user could not set the old owner or access list. */
  accessLost?: true;
}

export type HunkReport = FileChange["hunks"][number];

/** Describes a change, or the result of a dry run. */
export interface ChangeReport {
  /** Identifies the change for `undo`. Absent if nothing changed, nothing was written, or there is no journal. */
  transactionId?: string;
  /** Indicates a dry run: nothing was written. */
  dryRun: boolean;
  /** Indicates that a file has changed. */
  changed: boolean;
  /** Contains the files in the order of the plan. */
  files: readonly FileChange[];
}

/** Returns a remark about a guessed encoding, or an empty list. */
export function formatGuessedEncoding({ path, encoding, encodingGuessed }: FileChange): string[] {
  if (encoding === undefined || encodingGuessed !== true) return [];
  return [
    `Note: ${path} is not UTF-8. It was read and written as ${encodingName(encoding)}, which is a guess.`,
  ];
}
