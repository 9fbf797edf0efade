import type { LineTable } from "../../changes/text/line-table.ts";
import { BLANK, createLineShapes, type LineShapes } from "./line-shapes.ts";
import { createMinimumTree, type MinimumTree } from "./minimum-tree.ts";

/** Finds the block that an anchor line opens. Lines count from 0. */
export interface AnchorBlocks {
  /** Returns the line before `line` at which another block begins, or `undefined`. */
  findEndBefore(anchor: number, line: number): number | undefined;
  findEnd(anchor: number): number;
  isOpenAt(anchor: number, line: number): boolean;
  areSiblings(anchor: number, line: number): boolean;
  /** Whether all lines from the anchor to this line are blank or indented deeper. */
  isWithin(anchor: number, line: number): boolean;
}

const MOST_WALKS = 4;

/**
 * Closing brackets, `else`, access labels and comments begin no other block.
 *
 * Walks lines until the limit, then indexes the file: the total cost is linear.
 */
export function createAnchorBlocks(table: LineTable, mostWalks = MOST_WALKS): AnchorBlocks {
  const shapes = createLineShapes(table);
  const { getColumn, opens } = shapes;
  const { count } = table;
  const ends = new Map<number, number>();
  const outs = new Map<number, number>();
  let walks = mostWalks * (count + 1);
  let index: BlockIndex | undefined;
  const walk = (anchor: number, isEnd: (line: number) => boolean): number | undefined => {
    for (let line = anchor + 1; walks > 0; line += 1, walks -= 1)
      if (line >= count || isEnd(line)) return line;
    return undefined;
  };
  const endOf = (anchor: number): number => {
    if (getColumn(anchor) === BLANK || !opens(anchor)) return count;
    const end =
      ends.get(anchor) ??
      walk(anchor, endTest(anchor, shapes)) ??
      (index ??= createBlockIndex(count, shapes)).endOf(anchor) ??
      count;
    ends.set(anchor, end);
    return end;
  };
  const outOf = (anchor: number): number => {
    const anchorColumn = getColumn(anchor);
    if (anchorColumn === BLANK) return count;
    const isOut = (line: number): boolean => getColumn(line) !== BLANK && getColumn(line) <= anchorColumn;
    const out =
      outs.get(anchor) ??
      walk(anchor, isOut) ??
      (index ??= createBlockIndex(count, shapes)).outOf(anchor) ??
      count;
    outs.set(anchor, out);
    return out;
  };
  return {
    findEndBefore: (anchor, line) => {
      const end = endOf(anchor);
      return end < line ? end : undefined;
    },
    findEnd: endOf,
    isOpenAt: (anchor, line) => line > anchor && opens(anchor) && endOf(anchor) > line,
    areSiblings: (anchor, line) => getColumn(anchor) === getColumn(line),
    isWithin(anchor, line) {
      const out = outOf(anchor);
      return out > line || out >= count;
    },
  };
}

/** Returns a test that finds the end of the anchor's block. Lines must be tested in order. */
function endTest(anchor: number, shapes: LineShapes): (line: number) => boolean {
  const { getColumn, getSide } = shapes;
  const anchorColumn = getColumn(anchor);
  const side = getSide(anchor + 1);
  let isBracketed = shapes.opensBracket(anchor);
  return (line) => {
    const column = getColumn(line);
    if (column === BLANK || column > anchorColumn || getSide(line) !== side) return false;
    // Before the closing bracket, only another bracket begins a block.
    if (isBracketed && shapes.closes(line)) {
      isBracketed = false;
      return false;
    }
    const begins = shapes.begins(line);
    return begins === "bracket" || (begins === "plain" && !isBracketed);
  };
}

interface BlockIndex {
  endOf(anchor: number): number | undefined;
  outOf(anchor: number): number | undefined;
}

function createBlockIndex(count: number, shapes: LineShapes): BlockIndex {
  const { getColumn, getSide, begins, closes } = shapes;
  const select = (isOne: (line: number) => boolean): MinimumTree => {
    const lines: number[] = [];
    for (let line = 0; line < count; line += 1)
      if (getColumn(line) !== BLANK && isOne(line)) lines.push(line);
    return createMinimumTree(lines, getColumn);
  };
  const sides = [0, 1].map((side) => ({
    begin: select((line) => getSide(line) === side && begins(line) !== undefined),
    bracket: select((line) => getSide(line) === side && begins(line) === "bracket"),
    close: select((line) => getSide(line) === side && closes(line)),
  }));
  const full = select(() => true);
  return {
    endOf(anchor) {
      const anchorColumn = getColumn(anchor);
      const { begin, bracket, close } = sides[getSide(anchor + 1)] as (typeof sides)[number];
      if (!shapes.opensBracket(anchor)) return begin.findNext(anchor, anchorColumn);
      const begun = bracket.findNext(anchor, anchorColumn);
      const closed = close.findNext(anchor, anchorColumn);
      return closed === undefined || (begun !== undefined && begun < closed)
        ? begun
        : begin.findNext(closed, anchorColumn);
    },
    outOf: (anchor) => full.findNext(anchor, getColumn(anchor)),
  };
}
