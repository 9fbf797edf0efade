import { isProof } from "../changes/evidence.ts";
import { createLineMatcher } from "../changes/line-matcher.ts";
import type { LineMatcher } from "../changes/line-matcher.ts";
import type { LineTable } from "../changes/line-table.ts";
import type { MatchPass } from "../changes/match-pass.ts";
import { MATCH_PASSES } from "../changes/match-pass.ts";
import { choosePlace } from "./choose-place.ts";
import { findAnchors, firstAbove } from "./find-anchors.ts";
import type { PatchHunk } from "./patch.ts";
import { newLinesOf, oldLinesOf } from "./patch.ts";

/** Where a hunk goes in the file. Lines count from 0. */
export interface LocatedHunk {
  kind: "located";
  hunk: PatchHunk;
  /** First line it covers; for a pure insertion the line it is put before. */
  start: number;
  /** Lines of the file it covers. */
  size: number;
  pass: MatchPass;
  candidates: number;
}

/** The hunk has been applied before: its new lines are there, its old ones are not. */
export interface AppliedHunk {
  kind: "applied";
  hunk: PatchHunk;
  start: number;
  size: number;
}

export type UnlocatedHunk = { kind: "conflict"; hunk: PatchHunk } & (
  | { reason: "not-found" | "out-of-order" | "not-at-end" }
  | { reason: "anchor-not-found"; anchor: string }
  | { reason: "ambiguous"; places: readonly number[] }
  | { reason: "no-context" }
);

export type HunkPlacement = LocatedHunk | AppliedHunk | UnlocatedHunk;

/** One hunk's blocks of lines in the matcher. */
interface HunkBlocks {
  old: number;
  /** The old lines without one, two, … empty lines at the end. */
  shorter: number[];
  anchors: number[];
  heading: number | undefined;
  rawHint: number | undefined;
}

/**
 * Finds all hunks of one update, from top to bottom and without overlap. A hunk that could be in
 * several places is placed only when its anchors, its line numbers, the end of the file or "as many
 * equal hunks as places" decide; otherwise it is a conflict, like one that is nowhere.
 */
export function locateHunks(table: LineTable, hunks: readonly PatchHunk[]): HunkPlacement[] {
  const blocks: string[][] = [];
  const add = (lines: string[]): number => blocks.push(lines) - 1;
  const numbered = hunks.map((hunk): HunkBlocks => {
    const old = oldLinesOf(hunk);
    const spare = Math.min(hunk.trailingBlanks, old.length, 8);
    return {
      old: add(old),
      shorter: Array.from({ length: spare }, (_, index) => add(old.slice(0, old.length - index - 1))),
      anchors: hunk.anchors.map((anchor) => add([anchor])),
      heading: hunk.hint === undefined || hunk.hint.heading === "" ? undefined : add([hunk.hint.heading]),
      rawHint: hunk.hint === undefined ? undefined : add([hunk.hint.raw]),
    };
  });
  const matcher = createLineMatcher(table, blocks);
  const finder = new HunkFinder(table, hunks, numbered, blocks, matcher);
  return hunks.map((_, index) => finder.place(index));
}

class HunkFinder {
  readonly #table: LineTable;
  readonly #hunks: readonly PatchHunk[];
  readonly #numbered: readonly HunkBlocks[];
  readonly #blocks: readonly (readonly string[])[];
  readonly #matcher: LineMatcher;
  /** First line the next hunk may cover. */
  #cursor = 0;
  /** How far the last hunk with line numbers was from them. */
  #drift = 0;
  /** The file searched for what the hunks leave; most patches never need it. */
  #afterwards: LineMatcher | undefined;
  #keys: (string | undefined)[] | undefined;

  constructor(
    table: LineTable,
    hunks: readonly PatchHunk[],
    numbered: readonly HunkBlocks[],
    blocks: readonly (readonly string[])[],
    matcher: LineMatcher,
  ) {
    this.#table = table;
    this.#hunks = hunks;
    this.#numbered = numbered;
    this.#blocks = blocks;
    this.#matcher = matcher;
  }

  place(index: number): HunkPlacement {
    const hunk = this.#hunks[index] as PatchHunk;
    const { anchors: anchorBlocks, rawHint } = this.#numbered[index] as HunkBlocks;
    const rawIsLine = rawHint !== undefined && this.#matcher.places(rawHint, "exact").length > 0;
    const wanted = rawIsLine ? [...anchorBlocks, rawHint] : anchorBlocks;
    // An anchor above the last hunk still names the surroundings the next one is in.
    const near = findAnchors(this.#matcher, wanted, this.#cursor);
    const anchors = near.length > 0 ? near : findAnchors(this.#matcher, wanted, 0);
    if (wanted.length > 0 && anchors.length === 0) {
      return (
        this.#applied(index) ?? {
          kind: "conflict",
          hunk,
          reason: "anchor-not-found",
          anchor: hunk.anchors.join(" / "),
        }
      );
    }
    const useHint = rawIsLine ? undefined : hunk.hint;
    const asked = hunk.lines.slice(0, hunk.lines.length - hunk.trailingBlanks);
    return asked.every(({ kind }) => kind === "add")
      ? this.#placeInsertion(hunk, anchors, useHint)
      : this.#placeBlock(index, anchors, useHint);
  }

  #placeBlock(index: number, anchors: readonly number[], hint: PatchHunk["hint"]): HunkPlacement {
    const hunk = this.#hunks[index] as PatchHunk;
    const { old, shorter, heading } = this.#numbered[index] as HunkBlocks;
    for (const block of [old, ...shorter]) {
      const size = (this.#blocks[block] as readonly string[]).length;
      if (size === 0) continue;
      for (const pass of MATCH_PASSES) {
        const places = this.#valid(this.#matcher.places(block, pass), size, anchors, hunk.endOfFile);
        if (places.length === 0) continue;
        const start = choosePlace({
          places,
          size,
          anchors,
          headings: () => (heading === undefined ? [] : findAnchors(this.#matcher, [heading], 0)),
          expected: hint === undefined ? undefined : hint.oldStart - 1 + this.#drift,
          equalHunks: () => this.#equalHunks(index),
        });
        if (start === undefined) return { kind: "conflict", hunk, reason: "ambiguous", places };
        this.#cursor = start + size;
        if (hint !== undefined) this.#drift = start - (hint.oldStart - 1);
        return { kind: "located", hunk, start, size, pass, candidates: places.length };
      }
    }
    const elsewhere = MATCH_PASSES.some((pass) => this.#matcher.places(old, pass).length > 0);
    const misplaced = hunk.endOfFile ? "not-at-end" : "out-of-order";
    return this.#applied(index) ?? { kind: "conflict", hunk, reason: elsewhere ? misplaced : "not-found" };
  }

  /** Nothing but new lines: below the anchor, at the announced line, or at the end of the file. */
  #placeInsertion(hunk: PatchHunk, anchors: readonly number[], hint: PatchHunk["hint"]): HunkPlacement {
    const located = (start: number, candidates: number): LocatedHunk => ({
      kind: "located",
      hunk,
      start,
      size: 0,
      pass: "exact",
      candidates,
    });
    const { count } = this.#table;
    if (hunk.endOfFile) return located(count, 1);
    if (anchors.length > 0) {
      const below = anchors.map((line) => line + 1).filter((line) => line >= this.#cursor);
      const [only] = below;
      if (only === undefined) return { kind: "conflict", hunk, reason: "out-of-order" };
      if (below.length > 1) return { kind: "conflict", hunk, reason: "ambiguous", places: anchors };
      // Not past the anchor: the next hunk may name it again.
      this.#cursor = Math.max(this.#cursor, only - 1);
      return located(only, 1);
    }
    if (hint === undefined) return located(count, 1);
    const start = hint.oldStart + this.#drift;
    if (hint.oldCount > 0 || start > count || start < this.#cursor) {
      return { kind: "conflict", hunk, reason: "no-context" };
    }
    this.#cursor = start;
    return located(start, 1);
  }

  /** Places not above the cursor, below or around an anchor, and at the end of the file if it must be. */
  #valid(
    places: readonly number[],
    size: number,
    anchors: readonly number[],
    endOfFile: boolean,
  ): readonly number[] {
    const open = places.slice(firstAbove(places, this.#cursor - 1));
    const reachable = endOfFile ? open.filter((place) => place + size === this.#table.count) : open;
    const [first] = anchors;
    return first === undefined ? reachable : reachable.filter((place) => place + size > first);
  }

  /** Hunks from this one on that ask for the very same lines without saying where. */
  #equalHunks(index: number): number {
    this.#keys ??= this.#hunks.map((hunk) =>
      hunk.anchors.length > 0 || hunk.endOfFile ? undefined : oldLinesOf(hunk).join("\n"),
    );
    const wanted = this.#keys[index];
    return wanted === undefined ? 0 : this.#keys.slice(index).filter((key) => key === wanted).length;
  }

  #applied(index: number): AppliedHunk | undefined {
    const hunk = this.#hunks[index] as PatchHunk;
    if (!isEvidence(hunk)) return undefined;
    this.#afterwards ??= createLineMatcher(this.#table, this.#hunks.map(leftLinesOf));
    const places = this.#afterwards.places(index, "exact");
    const [start, another] = places.slice(firstAbove(places, this.#cursor - 1));
    if (start === undefined || another !== undefined) return undefined;
    const size = leftLinesOf(hunk).length;
    this.#cursor = start + size;
    return { kind: "applied", hunk, start, size };
  }
}

/** What a hunk leaves in the file, without empty lines that only separated it from the next. */
function leftLinesOf(hunk: PatchHunk): string[] {
  const lines = newLinesOf(hunk);
  return hunk.trailingBlanks === 0 ? lines : lines.slice(0, -hunk.trailingBlanks);
}

/** New lines that mean something, or a removal whose neighbours on both sides now stand together. */
function isEvidence({ lines }: PatchHunk): boolean {
  const added = lines.filter(({ kind }) => kind === "add");
  if (added.some(({ text }) => text.trim() !== "")) {
    return isProof(lines.flatMap(({ kind, text }) => (kind === "remove" ? [] : [text])).join("\n"));
  }
  const kept = (line: PatchHunk["lines"][number] | undefined): boolean =>
    line?.kind === "context" && line.text.trim() !== "";
  return lines.some(({ kind }) => kind === "remove") && kept(lines[0]) && kept(lines.at(-1));
}
