import type { LineTable } from "../changes/line-table.ts";
import { lineText } from "../changes/line-table.ts";

/** What the lines that anchors name open: a function, a class, a section. Lines count from 0. */
export interface AnchorBlocks {
  /**
   * The line before `line` at which something else begins, so that `line` no longer belongs to the
   * anchor; `undefined` when nothing does, or the anchor opens nothing that could end.
   */
  leftAt(anchor: number, line: number): number | undefined;
  /** The anchor opens something that `line`, below it, is still in. */
  isOpenAt(anchor: number, line: number): boolean;
  /** They are indented alike. */
  areBeside(anchor: number, line: number): boolean;
  /** Every line below the anchor, down to this one, is indented deeper than it or blank. */
  isWithin(anchor: number, line: number): boolean;
}

/** Columns of a tab. */
const TAB = 8;
const BLANK = -1;

/**
 * Judges by indentation alone. What only continues the anchor is no other block: closing brackets, `else`
 * and its like, labels of access; neither is a comment, which may stand at any column.
 */
export function createAnchorBlocks(table: LineTable): AnchorBlocks {
  let columns: Int32Array | undefined;
  const ends = new Map<number, number>();
  const columnOf = (line: number): number => (columns ??= readColumns(table))[line] ?? BLANK;
  const nextFull = (line: number): number => {
    let next = line + 1;
    while (next < table.count && columnOf(next) === BLANK) next += 1;
    return next;
  };
  const opens = (line: number): boolean => {
    const next = nextFull(line);
    if (next >= table.count) return false;
    if (columnOf(next) > columnOf(line)) return true;
    return columnOf(next) === columnOf(line) && lineText(table, next).trim() === "{";
  };
  const endOf = (anchor: number): number => {
    const known = ends.get(anchor);
    if (known !== undefined) return known;
    let end = table.count;
    if (columnOf(anchor) !== BLANK && opens(anchor)) {
      for (end = anchor + 1; end < table.count; end += 1) {
        const column = columnOf(end);
        if (column === BLANK || column > columnOf(anchor)) continue;
        if (opens(end) && !CONTINUES.test(lineText(table, end).slice(0, 80))) break;
      }
    }
    ends.set(anchor, end);
    return end;
  };
  return {
    leftAt: (anchor, line) => {
      const end = endOf(anchor);
      return end < line ? end : undefined;
    },
    isOpenAt: (anchor, line) => line > anchor && opens(anchor) && endOf(anchor) > line,
    areBeside: (anchor, line) => columnOf(anchor) === columnOf(line),
    isWithin(anchor, line) {
      for (let at = anchor + 1; at <= line; at += 1)
        if (columnOf(at) !== BLANK && columnOf(at) <= columnOf(anchor)) return false;
      return true;
    },
  };
}

const CONTINUES =
  /^\s*(?:[)\]}{#*]|\/[/*]|--|(?:else|elif|elsif|except|finally|catch|rescue|ensure|then|do|where|end)\b|(?:public|private|protected|internal|signals)\b[\w\s]*:\s*$)/i;

function readColumns({ bytes, starts, ends, count }: LineTable): Int32Array {
  const columns = new Int32Array(count);
  for (let line = 0; line < count; line += 1) {
    const end = ends[line] as number;
    let column = 0;
    let at = starts[line] as number;
    for (; at < end; at += 1) {
      if (bytes[at] === 0x20) column += 1;
      else if (bytes[at] === 0x09) column += TAB - (column % TAB);
      else break;
    }
    columns[line] = at === end ? BLANK : column;
  }
  return columns;
}
