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
   * the old content: copy the object to store it.
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
  /** Reason for a missing diff. */
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
     * Present if the file uses another indentation. `adopted`: the new lines got it. `as-given`: it is unknown, and the new lines are
     * unchanged.
     */
    indentation?: "adopted" | "as-given";
    /** Indicates that the file already contained the new text, so nothing was done. */
    alreadyApplied?: boolean;
  }[];
  /** Names the encoding, if it is not UTF-8. */
  encoding?: "utf-16le" | "utf-16be" | "windows-1252";
  /** Whether the encoding was guessed from the content. */
  encodingGuessed?: true;
  /** Indicates that a deleted file was too large to store: the deletion cannot be undone. */
  irreversible?: boolean;
  /** Indicates that this user could not set the old owner or access list. */
  accessLost?: true;
}

export type HunkReport = FileChange["hunks"][number];

/**
 * Effects of a change, also of a dry run.
 *
 * @example
 * ```ts
 * import type { ChangeReport } from "@haft/tools-fs/engine";
 * const diffs = ({ files }: ChangeReport) => files.map(({ diff }) => diff ?? "").join("");
 * ```
 */
export interface ChangeReport {
  /** Identifies the change for `undo`. Absent if nothing changed, nothing was written, or there is no journal. */
  transactionId?: string;
  /** Whether nothing was written. */
  dryRun: boolean;
  /** Whether a file has changed. */
  changed: boolean;
  /** Contains the files in the order of the plan. */
  files: readonly FileChange[];
}

export function formatGuessedEncoding({ path, encoding, encodingGuessed }: FileChange): string[] {
  if (encoding === undefined || encodingGuessed !== true) return [];
  return [
    `Note: ${path} is not UTF-8. It was read and written as ${encodingName(encoding)}, which is a guess.`,
  ];
}
