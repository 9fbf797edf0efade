import type { MatchPass } from "../../changes/match/match-pass.ts";
import type { PatchHunk } from "../parse/patch.ts";

export interface LocatedHunk {
  kind: "located";
  hunk: PatchHunk;
  /** First covered line; for a pure insertion the next line. */
  start: number;
  size: number;
  pass: MatchPass;
  candidates: number;
  /** If indentation differs: whether the new lines adopted it. */
  newLines?: "adopted" | "as-given";
}

/** The location already contains the new lines. */
export interface AppliedHunk extends Pick<LocatedHunk, "hunk" | "start" | "size"> {
  kind: "applied";
}

export type UnlocatedHunk = { kind: "conflict"; hunk: PatchHunk } & (
  | { reason: "not-found" | "not-at-end" }
  | { reason: "indentation"; start: number }
  | ({ reason: "out-of-order" } & OutOfOrder)
  | { reason: "outside-anchor"; anchor: string; startLine: number; left?: number }
  | { reason: "anchor-not-found"; anchor: string }
  | { reason: "ambiguous"; startLines: readonly number[] }
  | { reason: "no-context" }
  | { reason: "too-repetitive" }
);

export const MAX_REPORTED_LOCATIONS = 8;

export interface OutOfOrder {
  anchor?: string;
  startLines: readonly number[];
  previous?: { index: number; start: number };
}

export type HunkPlacement = LocatedHunk | AppliedHunk | UnlocatedHunk;
