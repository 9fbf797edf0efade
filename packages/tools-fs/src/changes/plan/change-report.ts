import { encodingName } from "../../content/codecs.ts";

/**
 * One file of a change.
 *
 * @example
 * ```ts
 * import type { FileChange } from "@haft/tools-fs";
 * const statistics = (files: readonly FileChange[]) =>
 *   files.map(({ path, kind, added, removed }) => `${kind} ${path} +${added} -${removed}`);
 * ```
 */
export interface FileChange {
  /** Path as the caller wrote it. */
  path: string;
  /** Kind of change. */
  kind: "added" | "modified" | "deleted" | "moved" | "unchanged";
  /** Old path of a moved file. */
  from?: string;
  /**
   * SHA-256 before the change, in hex; `null` without a file or if it was too large to read. It is computed on access, and the object holds
   * the old content: copy the object to store it.
   */
  before: string | null;
  /** SHA-256 after the change, in hex; `null` without a file or if it is too large to read. */
  after: string | null;
  /** Size before the change in bytes; 0 without a file. */
  bytesBefore: number;
  /** Size after the change in bytes; 0 without a file. */
  bytesAfter: number;
  /** Added lines in the diff. */
  added: number;
  /** Removed lines in the diff. */
  removed: number;
  /** First line of the new file that differs, from 1. */
  firstChangedLine?: number;
  /** Unified diff with three lines of context. */
  diff?: string;
  /** Reason for a missing diff. */
  diffOmitted?: "binary" | "too large";
  /** Each requested replacement. Lines count from 1. */
  hunks: readonly {
    /** Index in the request, from 0: of the edit, or of the hunk within its file section. */
    index: number;
    /** First line of the hunk in the patch. */
    patchLine?: number;
    oldStart: number;
    /** Lines before; 0 for an insertion. */
    oldLines: number;
    newStart: number;
    newLines: number;
    /** Differences that the match ignored. */
    pass: "exact" | "trailing-space" | "surrounding-space" | "punctuation";
    /** Distance from the announced line. */
    offset?: number;
    /** Equally good matches before the choice. */
    candidates: number;
    /**
     * Present if the file uses another indentation. `adopted`: the new lines got it. `as-given`: it is unknown, and the new lines are
     * unchanged.
     */
    indentation?: "adopted" | "as-given";
    /** The file already contained the new text. */
    alreadyApplied?: boolean;
  }[];
  /** The encoding, if not UTF-8. */
  encoding?: "utf-16le" | "utf-16be" | "windows-1252";
  /** Whether the encoding was guessed from the content. */
  encodingGuessed?: true;
  /** A deleted file was too large to store: the deletion cannot be undone. */
  irreversible?: boolean;
  /** This user could not set the old owner or access list. */
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
  /** Id for `undo`. Absent if nothing changed, nothing was written, or there is no journal. */
  transactionId?: string;
  /** Whether nothing was written. */
  dryRun: boolean;
  /** Whether a file has changed. */
  changed: boolean;
  /** Files in the order of the plan. */
  files: readonly FileChange[];
}

export function formatGuessedEncoding({ path, encoding, encodingGuessed }: FileChange): string[] {
  if (encoding === undefined || encodingGuessed !== true) return [];
  return [
    `Note: ${path} is not UTF-8. It was read and written as ${encodingName(encoding)}, which is a guess.`,
  ];
}
