import { type LineTable, lineText } from "../../changes/text/line-table.ts";

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
 * Judges by indentation, and by the bracket that the anchor opens. What only continues the anchor is no other block:
 * closing brackets, `else` and its like, labels of access; neither is a comment, which may stand at any column.
 */
export function createAnchorBlocks(table: LineTable): AnchorBlocks {
  let columns: Int32Array | undefined;
  let quotes: Uint8Array | undefined;
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
  const opensBracket = (line: number): boolean =>
    OPENS.test(lineText(table, line)) || lineText(table, nextFull(line)).trim() === "{";
  const isText = (anchor: number, line: number): boolean => {
    quotes ??= countQuotes(table);
    return quotes[anchor + 1] !== quotes[line];
  };
  const endOf = (anchor: number): number => {
    const known = ends.get(anchor);
    if (known !== undefined) return known;
    let end = table.count;
    if (columnOf(anchor) !== BLANK && opens(anchor)) {
      let isBracketed = opensBracket(anchor);
      for (end = anchor + 1; end < table.count; end += 1) {
        const column = columnOf(end);
        if (column === BLANK || column > columnOf(anchor) || isText(anchor, end)) continue;
        const line = lineText(table, end);
        // Until its bracket is closed, only another bracket begins something: labels and texts do not.
        const bracket = OPENS.test(line);
        if (isBracketed && CLOSES.test(line) && !bracket) isBracketed = false;
        else if ((bracket || !isBracketed) && opens(end) && !CONTINUES.test(line.slice(0, 80))) break;
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

const OPENS = /[([{]\s*$/;
const CLOSES = /^\s*[)\]}]/;

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

/** For each line whether an odd number of `"""` and `'''` stands above it: texts of several lines, as in Python. */
function countQuotes({ bytes, starts, count }: LineTable): Uint8Array {
  const odd = new Uint8Array(count + 1);
  for (const quote of ['"""', "'''"]) {
    let line = 0;
    for (let at = bytes.indexOf(quote); at >= 0; at = bytes.indexOf(quote, at + quote.length)) {
      while (line < count && (starts[line + 1] as number) <= at) line += 1;
      if (line + 1 <= count) odd[line + 1] = (odd[line + 1] as number) ^ 1;
    }
  }
  for (let line = 1; line <= count; line += 1) odd[line] = (odd[line] as number) ^ (odd[line - 1] as number);
  return odd;
}
