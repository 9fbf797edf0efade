import type { LineMatcher } from "../../changes/match/line-matcher.ts";
import { MATCH_PASSES } from "../../changes/match/match-pass.ts";
import type { SearchBudget } from "../../changes/match/search-budget.ts";
import { getOldLines, type PatchHunk } from "../parse/patch.ts";
import type { AnchorBlocks } from "./anchor-blocks.ts";
import { upperBound } from "./minimum-tree.ts";

interface Anchor {
  block: number;
  text: string;
}

/** Each anchor must be in the block of the previous anchor. Returns the last lines of complete chains (from 0, ascending). */
export function findAnchors(
  matcher: LineMatcher,
  anchors: readonly Anchor[],
  blocks: AnchorBlocks,
  budget: SearchBudget,
): number[] {
  const [first, ...rest] = anchors;
  if (first === undefined) return [];
  let ends = locationsOf(matcher, first.block);
  for (const anchor of rest) {
    const found = MATCH_PASSES.map((pass) => matcher.findBlock(anchor.block, pass));
    budget.spend(ends.length);
    const next = ends.flatMap((end) => locationsWithin(found, anchor, blocks, end));
    ends = [...new Set(next)].toSorted((a, b) => a - b);
  }
  budget.spend(ends.length);
  return [...ends];
}

function locationsOf(matcher: LineMatcher, block: number): readonly number[] {
  for (const pass of MATCH_PASSES) {
    const locations = matcher.findBlock(block, pass);
    if (locations.length > 0) return locations;
  }
  return [];
}

/** Returns the next match within the block of `end`. An anchor without indentation may also mean a nearer, indented line. */
function locationsWithin(
  locationsByPass: readonly (readonly number[])[],
  anchor: Anchor,
  blocks: AnchorBlocks,
  end: number,
): number[] {
  const found: number[] = [];
  let beside: number | undefined;
  for (const locations of locationsByPass) {
    const next = locations[upperBound(locations, end)];
    if (next === undefined) continue;
    if (blocks.findEndBefore(end, next + 1) === undefined) {
      if (!found.includes(next)) found.push(next);
    } else if (locations.length === 1 && blocks.areSiblings(end, next)) beside ??= next;
    if (anchor.text !== anchor.text.trim()) break;
  }
  // A Go method follows its type.
  return found.length === 0 && beside !== undefined ? [beside] : found;
}

interface Block {
  block: number;
  lines: readonly string[];
}

export interface HunkQuery {
  index: number;
  hunk: PatchHunk;
  old: Block;
  /** The old lines with fewer empty lines at the end. */
  shorter: Block[];
  anchors: Anchor[];
  heading: Anchor | undefined;
  rawHint: Anchor | undefined;
}

/** Equal lines share a number. */
export function numberBlocks(hunks: readonly PatchHunk[]): { blocks: string[][]; wanted: HunkQuery[] } {
  const blocks: string[][] = [];
  const numbers = new Map<string, number>();
  const add = (lines: string[]): Block => {
    const key = `${lines.length}\n${lines.join("\n")}`;
    const block = numbers.get(key) ?? blocks.push(lines) - 1;
    numbers.set(key, block);
    return { block, lines };
  };
  const anchor = (text: string): Anchor => ({ block: add([text]).block, text });
  const wanted = hunks.map((hunk, index): HunkQuery => {
    const old = getOldLines(hunk);
    const spare = Math.min(hunk.trailingBlanks, old.length, 8);
    return {
      index,
      hunk,
      old: add(old),
      shorter: Array.from({ length: spare }, (_, blanks) => add(old.slice(0, old.length - blanks - 1))),
      anchors: hunk.anchors.map(anchor),
      heading: hunk.hint === undefined || hunk.hint.heading === "" ? undefined : anchor(hunk.hint.heading),
      rawHint: hunk.hint === undefined ? undefined : anchor(hunk.hint.raw),
    };
  });
  return { blocks, wanted };
}
