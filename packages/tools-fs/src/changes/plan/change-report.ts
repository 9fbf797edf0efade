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
  /** Kind of the change. */
  kind: "added" | "modified" | "deleted" | "moved" | "unchanged";
  /** Old path of a moved file. */
  from?: string;
  /**
   * SHA-256 before the change, in hex; `null` if there was no file or it was too large to be read. It is computed at the first
   * read, and the old content remains in memory until then: copy the object to store it.
   */
  before: string | null;
  /** SHA-256 after the change, in hex; `null` if there is no file or it is too large to be read. */
  after: string | null;
  /** Size before the change in bytes; 0 if there was no file. */
  bytesBefore: number;
  /** Size after the change in bytes; 0 if there is no file. */
  bytesAfter: number;
  /** Number of added lines in the diff. */
  added: number;
  /** Number of removed lines in the diff. */
  removed: number;
  /** First line of the new file that differs, from 1. */
  firstChangedLine?: number;
  /** Unified diff with three lines of context. */
  diff?: string;
  /** The reason for an absent diff. */
  diffOmitted?: "binary" | "too large";
  /** Where and how each requested replacement was found. Lines count from 1. */
  hunks: readonly {
    /** Index in the request, from 0: of the edit, or of the hunk within its file section. */
    index: number;
    /** First line of the hunk in the patch. */
    patchLine?: number;
    oldStart: number;
    /** Number of lines before; 0 for an insertion. */
    oldLines: number;
    newStart: number;
    newLines: number;
    /** Which differences the match ignored. */
    pass: "exact" | "trailing-space" | "surrounding-space" | "punctuation";
    /** Distance from the announced line, if lines were announced. */
    offset?: number;
    /** Number of equally good matches before the choice. */
    candidates: number;
    /**
     * Present if the lines of the file are indented differently. `adopted`: the new lines got the indentation of the file.
     * `as-given`: the indentation could not be determined, and the new lines are unchanged.
     */
    indentation?: "adopted" | "as-given";
    /** Whether the file already contained the new text, so that nothing was done. */
    alreadyApplied?: boolean;
  }[];
  /** Encoding of the file, if it is not UTF-8. */
  encoding?: "utf-16le" | "utf-16be" | "windows-1252";
  /** Whether the encoding was guessed from the content. */
  encodingGuessed?: true;
  /** Whether a deleted file was too large for its content to be stored: the deletion cannot be undone. */
  irreversible?: boolean;
  /** Whether the owner or access list differs from the old file's, because this user could not set them. */
  accessLost?: true;
}

export type HunkReport = FileChange["hunks"][number];

/**
 * What a change did, or would do in a dry run.
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
  /** Whether this was a dry run: nothing was written. */
  dryRun: boolean;
  /** Whether any file has changed. */
  changed: boolean;
  /** Files in the order of the plan. */
  files: readonly FileChange[];
}

/** What is to be said of a file whose encoding was guessed; nothing of others. */
export function formatGuessedEncoding({ path, encoding, encodingGuessed }: FileChange): string[] {
  if (encoding === undefined || encodingGuessed !== true) return [];
  return [
    `Note: ${path} is not UTF-8. It was taken for ${encodingName(encoding)}, which is a guess, and kept in it.`,
  ];
}
