import { type LineTable, lineText } from "../../changes/text/line-table.ts";

export const BLANK = -1;
const TAB = 8;

/** Describes the shapes of lines. Each line is read once. Lines count from 0. */
export interface LineShapes {
  /** Column of the first visible character, or `BLANK`. */
  getColumn: (line: number) => number;
  /** The next line with text is indented deeper or is the opening bracket. */
  opens: (line: number) => boolean;
  /** The line ends with an opening bracket, or the next line with text is one bracket. */
  opensBracket: (line: number) => boolean;
  /** The line begins a block that does not continue the block above. */
  begins: (line: number) => "bracket" | "plain" | undefined;
  closes: (line: number) => boolean;
  /** 1 within a multi-line string, else 0. */
  getSide: (line: number) => number;
}

const KNOWN = 1;
const ENDS_WITH_BRACKET = 2;
const STARTS_WITH_CLOSING = 4;
const CONTINUES_BLOCK = 8;
const IS_BRACE = 16;

export function createLineShapes(table: LineTable): LineShapes {
  const { count } = table;
  let columns: Int32Array | undefined;
  let quotes: Uint8Array | undefined;
  let following: Int32Array | undefined;
  let flags: Uint8Array | undefined;
  const columnOf = (line: number): number => (columns ??= readColumns(table))[line] ?? BLANK;
  const nextFull = (line: number): number => {
    const next = line + 1;
    if (next >= count || columnOf(next) !== BLANK) return next;
    return (following ??= readFollowing(count, columnOf))[next] as number;
  };
  const flagsOf = (line: number): number => {
    if (line >= count) return 0;
    flags ??= new Uint8Array(count);
    const known = flags[line] as number;
    if (known !== 0) return known;
    const text = lineText(table, line);
    let found = KNOWN;
    if (OPENS.test(text)) found |= ENDS_WITH_BRACKET;
    if (CLOSES.test(text)) found |= STARTS_WITH_CLOSING;
    if (CONTINUES.test(text.slice(0, 80))) found |= CONTINUES_BLOCK;
    if (text.trim() === "{") found |= IS_BRACE;
    flags[line] = found;
    return found;
  };
  const has = (line: number, flag: number): boolean => (flagsOf(line) & flag) !== 0;
  const opens = (line: number): boolean => {
    const next = nextFull(line);
    if (next >= count) return false;
    if (columnOf(next) > columnOf(line)) return true;
    return columnOf(next) === columnOf(line) && has(next, IS_BRACE);
  };
  return {
    getColumn: columnOf,
    opens,
    opensBracket: (line) => has(line, ENDS_WITH_BRACKET) || has(nextFull(line), IS_BRACE),
    begins(line) {
      if (!opens(line) || has(line, CONTINUES_BLOCK)) return undefined;
      return has(line, ENDS_WITH_BRACKET) ? "bracket" : "plain";
    },
    closes: (line) => has(line, STARTS_WITH_CLOSING) && !has(line, ENDS_WITH_BRACKET),
    getSide: (line) => (quotes ??= countQuotes(table))[line] as number,
  };
}

const OPENS = /[([{]\s*$/;
const CLOSES = /^\s*[)\]}]/;

const CONTINUES =
  /^\s*(?:[)\]}{#*]|\/[/*]|--|(?:else|elif|elsif|except|finally|catch|rescue|ensure|then|do|where|end)\b|(?:public|private|protected|internal|signals)\b[\w\s]*:\s*$)/i;

function readFollowing(count: number, columnOf: (line: number) => number): Int32Array {
  const following = new Int32Array(count);
  let next = count;
  for (let line = count - 1; line >= 0; line -= 1) {
    if (columnOf(line) !== BLANK) next = line;
    following[line] = next;
  }
  return following;
}

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

/** Counts `"""` and `'''` above each line modulo 2, to detect multi-line strings. */
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
