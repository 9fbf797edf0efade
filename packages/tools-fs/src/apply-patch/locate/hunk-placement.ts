import type { MatchPass } from "../../changes/match/match-pass.ts";
import type { PatchHunk } from "../parse/patch.ts";

export interface LocatedHunk {
  kind: "located";
  hunk: PatchHunk;
  /** First line it covers; for a pure insertion the line it is put before. */
  start: number;
  size: number;
  pass: MatchPass;
  candidates: number;
  /** Where indentation differs: do its new lines have that of the file, or the one that was asked for? */
  newLines?: "adopted" | "as-given";
}

/** The hunk has been applied before: at its place its new lines are there, its old ones are not. */
export interface AppliedHunk extends Pick<LocatedHunk, "hunk" | "start" | "size"> {
  kind: "applied";
}

export type UnlocatedHunk = { kind: "conflict"; hunk: PatchHunk } & (
  | { reason: "not-found" | "not-at-end" }
  /** Its lines stand at `start`, and how to indent the new ones cannot be told. */
  | { reason: "indentation"; start: number }
  | ({ reason: "out-of-order" } & OutOfOrder)
  /** Its lines stand at `place` only, where the anchor no longer reaches. */
  | { reason: "outside-anchor"; anchor: string; startLine: number; left?: number }
  | { reason: "anchor-not-found"; anchor: string }
  | { reason: "ambiguous"; startLines: readonly number[] }
  | { reason: "no-context" }
  /** The file repeats its lines so often that the search was stopped. */
  | { reason: "too-repetitive" }
);

/** Places that a conflict names. It keeps no more, however many there are. */
export const MAX_REPORTED_LOCATIONS = 8;

export interface OutOfOrder {
  anchor?: string;
  /** Where the anchor stands, or else the hunk's lines. */
  startLines: readonly number[];
  previous?: { index: number; start: number };
}

export type HunkPlacement = LocatedHunk | AppliedHunk | UnlocatedHunk;
