import type { MatchPass } from "../match/match-pass.ts";

/** Where and how one requested replacement was found. Lines count from 1. */
export interface HunkReport {
  /** Position in the request, from 0: of the edit, or of the hunk within its file section. */
  index: number;
  /** Line of the patch where the hunk begins. */
  patchLine?: number;
  oldStart: number;
  /** Lines before; 0 for a pure insertion. */
  oldLines: number;
  newStart: number;
  newLines: number;
  pass: MatchPass;
  /** How far from the announced line it was found, when lines were announced. */
  offset?: number;
  /** Places that matched equally well before the choice was decided. */
  candidates: number;
  /** It was there already, so nothing was done. */
  alreadyApplied?: boolean;
}

/** One file of a change. */
export interface FileChange {
  /** As the caller wrote it. */
  path: string;
  kind: "added" | "modified" | "deleted" | "moved" | "unchanged";
  /** Where a moved file came from. */
  from?: string;
  /**
   * SHA-256 before, hex; `null` when there was no file, or it is `irreversible`. Computed when read, and the old content is
   * kept for that long: copy the object to keep it.
   */
  before: string | null;
  /** SHA-256 after, hex; `null` when there is no file. */
  after: string | null;
  bytesBefore: number;
  bytesAfter: number;
  /** Lines added and removed, as the diff counts them. */
  added: number;
  removed: number;
  /** First line of the new file that differs. */
  firstChangedLine?: number;
  /** Unified diff with three lines of context. */
  diff?: string;
  /** Why there is no diff. */
  diffOmitted?: "binary" | "too large";
  hunks: readonly HunkReport[];
  /** The file was deleted, and was too large for its content to be kept: this cannot be undone. */
  irreversible?: boolean;
}

/** What a change did, or, as a dry run, would do. */
export interface ChangeReport {
  /** What `undo` takes. Absent when nothing changed, nothing was written, or no journal keeps it. */
  transactionId?: string;
  dryRun: boolean;
  changed: boolean;
  files: readonly FileChange[];
}
