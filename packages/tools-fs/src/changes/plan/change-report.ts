import { encodingName } from "../../content/codecs.ts";

/** One file of a change. */
export interface FileChange {
  /** As the caller wrote it. */
  path: string;
  /** What happened to it. */
  kind: "added" | "modified" | "deleted" | "moved" | "unchanged";
  /** Where a moved file came from. */
  from?: string;
  /**
   * SHA-256 before, hex; `null` when there was no file, or it was too large to be read. Computed when read, and the old content is
   * kept for that long: copy the object to keep it.
   */
  before: string | null;
  /** SHA-256 after, hex; `null` when there is no file, or it was too large to be read. */
  after: string | null;
  /** 0 when there was no file. */
  bytesBefore: number;
  /** 0 when there is no file. */
  bytesAfter: number;
  /** Lines added, as the diff counts them. */
  added: number;
  /** Lines removed, as the diff counts them. */
  removed: number;
  /** First line of the new file that differs. */
  firstChangedLine?: number;
  /** Unified diff with three lines of context. */
  diff?: string;
  /** Why there is no diff. */
  diffOmitted?: "binary" | "too large";
  /** Where and how each requested replacement was found. Lines count from 1. */
  hunks: readonly {
    /** Position in the request, from 0: of the edit, or of the hunk within its file section. */
    index: number;
    /** Line of the patch where the hunk begins. */
    patchLine?: number;
    oldStart: number;
    /** Lines before; 0 for a pure insertion. */
    oldLines: number;
    newStart: number;
    newLines: number;
    /** What had to be overlooked for it to be found. */
    pass: "exact" | "trailing-space" | "surrounding-space" | "punctuation";
    /** How far from the announced line it was found, when lines were announced. */
    offset?: number;
    /** Places that matched equally well before the choice was decided. */
    candidates: number;
    /**
     * Its lines are indented in another way than it says: the new ones were given the indentation of the file, or, where
     * that cannot be told, stand as they were given.
     */
    indentation?: "adopted" | "as-given";
    /** It was there already, so nothing was done. */
    alreadyApplied?: boolean;
  }[];
  /** What its text is kept in, where that is not UTF-8. */
  encoding?: "utf-16le" | "utf-16be" | "windows-1252";
  /** Nothing in the file says so: the encoding is the one it looks like. */
  encodingGuessed?: true;
  /** The file was deleted, and was too large for its content to be kept: this cannot be undone. */
  irreversible?: boolean;
  /** It has another owner or access list than the file that it was: this user cannot give the same to a new file. */
  accessLost?: true;
}

export type HunkReport = FileChange["hunks"][number];

/** What a change did, or, as a dry run, would do. */
export interface ChangeReport {
  /** What `undo` takes. Absent when nothing changed, nothing was written, or no journal keeps it. */
  transactionId?: string;
  /** Nothing was written: this is what would happen. */
  dryRun: boolean;
  /** A file is not what it was. */
  changed: boolean;
  /** In the order in which the plan touched them. */
  files: readonly FileChange[];
}

/** What is to be said of a file whose encoding was guessed; nothing of others. */
export function formatGuessedEncoding({ path, encoding, encodingGuessed }: FileChange): string[] {
  if (encoding === undefined || encodingGuessed !== true) return [];
  return [
    `Note: ${path} is not UTF-8. It was taken for ${encodingName(encoding)}, which is a guess, and kept in it.`,
  ];
}
