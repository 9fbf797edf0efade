import { withoutUndefined } from "@haft/utils";
import { isEvident } from "../../changes/match/evidence.ts";
import { createLineMatcher, type LineMatcher } from "../../changes/match/line-matcher.ts";
import { MATCH_PASSES, type MatchPass } from "../../changes/match/match-pass.ts";
import { BudgetExceededError, SearchBudget } from "../../changes/match/search-budget.ts";
import type { LineTable } from "../../changes/text/line-table.ts";
import type { PatchHunk } from "../parse/patch.ts";
import { type AnchorBlocks, createAnchorBlocks } from "./anchor-blocks.ts";
import { type AppliedFinder, createAppliedFinder } from "./applied-hunks.ts";
import {
  chooseLocation,
  type Bounds,
  listFirstBelow,
  findFirstBelow,
  filterReachable,
  type HunkSurroundings,
} from "./choose-location.ts";
import { findAnchors, numberBlocks, type HunkQuery } from "./find-anchors.ts";
import {
  type AppliedHunk,
  type HunkPlacement,
  type LocatedHunk,
  MAX_REPORTED_LOCATIONS,
  type OutOfOrder,
  type UnlocatedHunk,
} from "./hunk-placement.ts";
import { upperBound } from "./minimum-tree.ts";

interface PlacedHunk {
  index: number;
  start: number;
  anchor: number | undefined;
}

/**
 * Locates hunks from top to bottom without overlap, each below its anchor and within the anchor's block. Anchors, line numbers, the end of
 * the file, or an equal number of hunks and locations decide between several matches. Hunks without a decision, without a match, or above
 * the previous hunk conflict.
 */
export function locateHunks(table: LineTable, hunks: readonly PatchHunk[]): HunkPlacement[] {
  return [...iterateHunkPlacements(table, hunks)];
}

/**
 * Yields after each hunk.
 *
 * @param budget If a final budget is exceeded, the hunk conflicts.
 * @throws BudgetExceededError for a budget that is not final
 */
export function iterateHunkPlacements(
  table: LineTable,
  hunks: readonly PatchHunk[],
  budget = finalBudget(table, hunks),
): Generator<HunkPlacement, void> {
  return new HunkFinder(table, hunks, budget).locate();
}

export function finalBudget({ count }: LineTable, hunks: readonly PatchHunk[]): SearchBudget {
  return SearchBudget.final(hunks.reduce((sum, { lines }) => sum + lines.length, count));
}

class HunkFinder {
  readonly #table: LineTable;
  readonly #wanted: readonly HunkQuery[];
  readonly #matcher: LineMatcher;
  readonly #anchorBlocks: AnchorBlocks;
  #cursor = 0;
  #previous: PlacedHunk | undefined;
  #drift = 0;
  #afterwards: AppliedFinder | undefined;
  #equals: number[] | undefined;
  readonly #budget: SearchBudget;

  constructor(table: LineTable, hunks: readonly PatchHunk[], budget: SearchBudget) {
    const { blocks, wanted } = numberBlocks(hunks);
    this.#table = table;
    this.#wanted = wanted;
    this.#budget = budget;
    this.#matcher = createLineMatcher(table, blocks, budget);
    this.#anchorBlocks = createAnchorBlocks(table);
  }

  *locate(): Generator<HunkPlacement, void> {
    for (const wanted of this.#wanted) yield this.#locateWithin(wanted);
  }

  #locateWithin(wanted: HunkQuery): HunkPlacement {
    try {
      return this.#locate(wanted);
    } catch (thrown) {
      if (!(thrown instanceof BudgetExceededError) || !this.#budget.isFinal) throw thrown;
      return { kind: "conflict", hunk: wanted.hunk, reason: "too-repetitive" };
    }
  }

  #locate(wanted: HunkQuery): HunkPlacement {
    const { hunk, anchors, rawHint, heading } = wanted;
    const rawIsLine = rawHint !== undefined && this.#matcher.findBlock(rawHint.block, "exact").length > 0;
    const chain = rawIsLine ? [...anchors, rawHint] : anchors;
    const named = chain.map(({ text }) => text).join(" / ");
    const ends = findAnchors(this.#matcher, chain, this.#anchorBlocks, this.#budget);
    if (chain.length > 0 && ends.length === 0) {
      return { kind: "conflict", hunk, reason: "anchor-not-found", anchor: named };
    }
    const hint = rawIsLine ? undefined : hunk.hint;
    const requested = hunk.lines.slice(0, hunk.lines.length - hunk.trailingBlanks);
    const isInsertion = requested.every(({ kind }) => kind === "add");
    if (isInsertion && hunk.endOfFile) return this.#atEnd(hunk);
    // Headings may be cut, so a heading without a match is ignored.
    const headings =
      hint === undefined || heading === undefined
        ? []
        : this.#matcher.findBlock(heading.block, "surrounding-space");
    const near = {
      anchors: this.#inOrder(ends, (line, start) => this.#anchorBlocks.isOpenAt(line, start)),
      headings: this.#inOrder(
        headings,
        (line, start) => this.#anchorBlocks.findEndBefore(line, start) === undefined,
      ),
    };
    const isAbove = (lines: readonly number[], reached: readonly number[]): boolean =>
      lines.length > 0 && reached.length === 0;
    if (isAbove(ends, near.anchors))
      return this.#locateEvident(wanted, ends) ?? this.#outOfOrder(hunk, ends, named);
    if (isAbove(headings, near.headings))
      return this.#locateEvident(wanted, headings) ?? this.#outOfOrder(hunk, headings, heading?.text);
    if (isInsertion) return this.#locateInsertion(wanted, near, hint);
    return (
      this.#locateBlock(wanted, near, hint) ??
      this.#locateEvident(wanted, ends) ??
      this.#unplaced(wanted, near)
    );
  }

  /** Returns anchors below the previous hunk, the previous anchor, and anchors whose block is still open, such as a class. */
  #inOrder(lines: readonly number[], isOpen: (line: number, start: number) => boolean): readonly number[] {
    const previous = this.#previous;
    if (previous === undefined) return lines;
    this.#budget.spend(lines.length);
    const below = lines.filter((line) => line >= previous.start || line === previous.anchor);
    return below.length > 0 ? below : lines.filter((line) => isOpen(line, previous.start));
  }

  /**
   * Locates a hunk that shows enough unique text, below its anchor and the previous hunk, also outside the anchor's block: `git diff`
   * repeats the last line that looks like a function, even after its end.
   */
  #locateEvident(
    { index, hunk, old: { block, lines } }: HunkQuery,
    anchors: readonly number[],
  ): LocatedHunk | undefined {
    const [top] = anchors;
    if (top === undefined || hunk.endOfFile || !isEvident(lines)) return undefined;
    const [start, another] = this.#matcher.findBlock(block, "punctuation");
    if (start === undefined || another !== undefined) return undefined;
    if (start < this.#cursor || start + lines.length <= top) return undefined;
    const pass =
      MATCH_PASSES.find((each) => this.#matcher.findBlock(block, each).length > 0) ?? "punctuation";
    const size = lines.length;
    this.#advance(index, start, size, { anchors, headings: [] });
    return { kind: "located", hunk, start, size, pass, candidates: 1 };
  }

  #outOfOrder(hunk: PatchHunk, all: readonly number[], anchor?: string): UnlocatedHunk {
    const locations = all.slice(0, MAX_REPORTED_LOCATIONS + 1);
    const order = { startLines: locations, anchor, previous: this.#previous };
    return { kind: "conflict", hunk, reason: "out-of-order", ...withoutUndefined<OutOfOrder>(order) };
  }

  #locateBlock(
    wanted: HunkQuery,
    near: HunkSurroundings,
    hint: PatchHunk["hint"],
  ): HunkPlacement | undefined {
    const { index, hunk, old, shorter, heading } = wanted;
    for (const { block, lines } of [old, ...shorter]) {
      const size = lines.length;
      if (size === 0) continue;
      for (const pass of MATCH_PASSES) {
        const all = this.#matcher.findBlock(block, pass);
        this.#budget.spend(all.length + near.anchors.length);
        const locations = filterReachable(all, near, this.#bounds(size, hunk));
        if (locations.length === 0) continue;
        const nearer = hunk.endOfFile ? [] : this.#nearer(wanted, near, locations, size, pass);
        const start =
          nearer.length > 0
            ? undefined
            : chooseLocation({
                locations,
                size,
                anchors: near.anchors,
                headings: () =>
                  heading === undefined
                    ? []
                    : findAnchors(this.#matcher, [heading], this.#anchorBlocks, this.#budget),
                expected: hint === undefined ? undefined : hint.oldStart - 1 + this.#drift,
                endOf: (line) => this.#anchorBlocks.findEnd(line),
                equalHunks: () => this.#equalHunks(index),
              });
        if (start === undefined) {
          const some = [
            ...nearer.slice(0, MAX_REPORTED_LOCATIONS),
            ...locations.slice(0, MAX_REPORTED_LOCATIONS),
          ];
          const candidates = some.toSorted((a, b) => a - b).slice(0, MAX_REPORTED_LOCATIONS);
          return { kind: "conflict", hunk, reason: "ambiguous", startLines: candidates };
        }
        if (hint !== undefined) this.#drift = start - (hint.oldStart - 1);
        this.#advance(index, start, size, near);
        return { kind: "located", hunk, start, size, pass, candidates: locations.length };
      }
    }
    return undefined;
  }

  #advance(index: number, start: number, size: number, near: HunkSurroundings): void {
    const end = Math.max(start + size, 1);
    const above = [lastBelow(near.anchors, end), lastBelow(near.headings, end)];
    const anchor = Math.max(...above.map((line) => line ?? -1));
    this.#cursor = start + size;
    this.#previous = { index, start, anchor: anchor < 0 ? undefined : anchor };
  }

  #bounds(size: number, { endOfFile }: PatchHunk): Bounds {
    const end = endOfFile ? this.#table.count : undefined;
    return { size, cursor: this.#cursor, end, blocks: this.#anchorBlocks };
  }

  /** Returns closer matches that differ only in trailing white space or in empty lines that may separate hunks. */
  #nearer(
    { old, shorter }: HunkQuery,
    { anchors }: HunkSurroundings,
    locations: readonly number[],
    size: number,
    found: MatchPass,
  ): readonly number[] {
    this.#budget.spend(anchors.length);
    const distant = anchors.filter((anchor) => {
      const location = locations[upperBound(locations, anchor - size)];
      return location === undefined || location > anchor + 1;
    });
    if (distant.length === 0) return [];
    const pass = found === "exact" ? "trailing-space" : found;
    const { block, lines } = [old, ...shorter].findLast((each) => each.lines.length > 0) ?? old;
    const all = this.#matcher.findBlock(block, pass);
    const open = all.slice(upperBound(all, this.#cursor - 1));
    const known = new Set(locations);
    return listFirstBelow(open, lines.length, distant, this.#anchorBlocks).filter(
      (location) => !known.has(location),
    );
  }

  #locateInsertion(
    { index, hunk }: HunkQuery,
    near: HunkSurroundings,
    hint: PatchHunk["hint"],
  ): HunkPlacement {
    const { count } = this.#table;
    if (near.anchors.length > 0) {
      const below = near.anchors.map((line) => line + 1).filter((line) => line >= this.#cursor);
      const [only] = below;
      if (only === undefined) return this.#outOfOrder(hunk, near.anchors, hunk.anchors.join(" / "));
      if (below.length > 1)
        return {
          kind: "conflict",
          hunk,
          reason: "ambiguous",
          startLines: below.slice(0, MAX_REPORTED_LOCATIONS),
        };
      this.#advance(index, only, 0, near);
      return { kind: "located", hunk, start: only, size: 0, pass: "exact", candidates: 1 };
    }
    if (hint === undefined) return this.#atEnd(hunk);
    const start = hint.oldStart + this.#drift;
    const [top] = near.headings;
    if (hint.oldCount > 0 || start > count) return { kind: "conflict", hunk, reason: "no-context" };
    if (start < this.#cursor) return this.#outOfOrder(hunk, [start]);
    if (top !== undefined && start <= top) {
      return { kind: "conflict", hunk, reason: "outside-anchor", anchor: hint.heading, startLine: start };
    }
    this.#advance(index, start, 0, near);
    return { kind: "located", hunk, start, size: 0, pass: "exact", candidates: 1 };
  }

  #atEnd(hunk: PatchHunk): LocatedHunk {
    return { kind: "located", hunk, start: this.#table.count, size: 0, pass: "exact", candidates: 1 };
  }

  #equalHunks(index: number): number {
    this.#equals ??= countEqualHunks(this.#wanted);
    return this.#equals[index] as number;
  }

  #unplaced(wanted: HunkQuery, near: HunkSurroundings): HunkPlacement {
    const { hunk, old } = wanted;
    const size = old.lines.length;
    const all = this.#matcher.findBlock(old.block, "punctuation");
    const { anchors, headings } = near;
    this.#budget.spend(all.length + anchors.length);
    const isNear = (locations: readonly number[]): boolean =>
      anchors.some((anchor) => findFirstBelow(locations, size, anchor, this.#anchorBlocks) !== undefined);
    if (anchors.length > 0 ? !isNear(all) : all.length === 0) {
      const applied = this.#applied(wanted, near);
      if (applied !== undefined) return applied;
    }
    if (all.length === 0) return { kind: "conflict", hunk, reason: "not-found" };
    const locations = hunk.endOfFile ? all.filter((location) => location + size === this.#table.count) : all;
    if (locations.length === 0) return { kind: "conflict", hunk, reason: "not-at-end" };
    const outside = { kind: "conflict" as const, hunk, reason: "outside-anchor" as const };
    const [anchor] = anchors;
    if (anchor !== undefined && !isNear(locations)) {
      const location = locations.find((line) => line + size > anchor) ?? locations[0] ?? 0;
      const left = this.#anchorBlocks.findEndBefore(anchor, location);
      return withoutUndefined<UnlocatedHunk>({
        ...outside,
        anchor: hunk.anchors.join(" / "),
        startLine: location,
        left,
      });
    }
    const open = locations.find((location) => location >= this.#cursor);
    return headings.length > 0 && open !== undefined
      ? { ...outside, anchor: hunk.hint?.heading ?? "", startLine: open }
      : this.#outOfOrder(hunk, locations);
  }

  #applied({ index, hunk }: HunkQuery, near: HunkSurroundings): AppliedHunk | undefined {
    this.#afterwards ??= createAppliedFinder(
      this.#table,
      this.#wanted.map((each) => each.hunk),
      this.#anchorBlocks,
      this.#budget,
    );
    const { locations, size } = this.#afterwards.findAppliedLines(index);
    const [start, another] = filterReachable(locations, near, this.#bounds(size, hunk));
    if (start === undefined || another !== undefined) return undefined;
    if (!this.#afterwards.isCertain(index, start, near.anchors)) return undefined;
    this.#advance(index, start, size, near);
    return { kind: "applied", hunk, start, size };
  }
}

function lastBelow(lines: readonly number[], end: number): number | undefined {
  return lines[upperBound(lines, end - 1) - 1];
}

function countEqualHunks(wanted: readonly HunkQuery[]): number[] {
  const equals = wanted.map(() => 0);
  const counts = new Map<number, number>();
  for (const { index, hunk, old } of wanted.toReversed()) {
    if (hunk.anchors.length > 0 || hunk.endOfFile) continue;
    const count = (counts.get(old.block) ?? 0) + 1;
    counts.set(old.block, count);
    equals[index] = count;
  }
  return equals;
}
