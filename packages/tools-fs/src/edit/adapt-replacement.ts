import {
  type IndentationMap,
  getIndentation,
  isReindented,
  mapIndentation,
} from "../changes/match/indentation.ts";

const splitLines = (text: string): string[] => text.split(/\r\n|\r|\n/);

export interface AdaptedText {
  text: string;
  indentation?: "adopted" | "as-given";
}

/**
 * Adapts new text to an inexact match. Unchanged lines keep the bytes of the file. New lines adopt the indentation of neighbouring lines,
 * if it is known.
 *
 * @param there Has as many lines as `oldText`.
 * @param isSyntax Leading white space is syntax.
 * @returns `undefined` if indentation is syntax and unknown.
 */
export function adaptReplacement(
  there: string,
  oldText: string,
  newText: string,
  isSyntax: boolean,
): AdaptedText | undefined {
  const found = splitLines(there);
  const requested = splitLines(oldText);
  const wanted = splitLines(newText);
  const unchanged = pairEqualLines(requested, wanted);
  let map: IndentationMap | undefined;
  const adopt = (line: string, index: number): string | undefined => {
    if (line.trim() === "") return line;
    map ??= indentationMap(requested, found);
    const given = getIndentation(line);
    const indentation = index === 0 && given === "" ? startOf(requested, found, map) : map(given);
    return indentation === undefined ? undefined : indentation + line.slice(given.length);
  };
  const lines: string[] = [];
  let indentation: AdaptedText["indentation"];
  for (let at = 0; at < wanted.length;) {
    const same = unchanged[at];
    if (same !== undefined) {
      lines.push(found[same] ?? (wanted[at] as string));
      at += 1;
      continue;
    }
    const first = at;
    while (at < wanted.length && unchanged[at] === undefined) at += 1;
    const fresh = wanted.slice(first, at);
    const above = first === 0 ? -1 : (unchanged[first - 1] as number);
    const below = at === wanted.length ? requested.length : (unchanged[at] as number);
    const touches =
      fresh.some((line) => line.trim() !== "") && isReindented(requested, found, above, below + 1);
    const adopted = touches ? fresh.map((line, index) => adopt(line, first + index)) : fresh;
    const isKnown = adopted.every((line) => line !== undefined);
    if (!isKnown && isSyntax) return undefined;
    lines.push(...(isKnown ? adopted : fresh));
    if (touches) indentation = isKnown ? (indentation ?? "adopted") : "as-given";
  }
  const text = lines.join("\n");
  return indentation === undefined ? { text } : { text, indentation };
}

/** Text from the middle of a line lacks its indentation, so other lines decide. */
function indentationMap(requested: readonly string[], found: readonly string[]): IndentationMap {
  const map = mapIndentation(requested, found);
  if (getIndentation(requested[0] ?? "") !== "") return map;
  const others = mapIndentation(requested.slice(1), found.slice(1));
  return (indentation) => map(indentation) ?? others(indentation);
}

function startOf(
  requested: readonly string[],
  found: readonly string[],
  map: IndentationMap,
): string | undefined {
  const first = requested[0] ?? "";
  return first.trim() !== "" && getIndentation(first) === "" ? getIndentation(found[0] ?? "") : map("");
}

/** Beyond this, only equal lines at both ends are paired. */
const MAX_COMPARISONS = 1 << 18;

/** Maps each line of `after` to the unchanged line of `before`, or `undefined`. Pairs are maximal up to a size limit. */
function pairEqualLines(
  before: readonly string[],
  after: readonly string[],
): readonly (number | undefined)[] {
  const pairs: (number | undefined)[] = Array.from(after, () => undefined);
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) pairs[head] = head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) {
    tail += 1;
    pairs[after.length - tail] = before.length - tail;
  }
  const rows = before.length - head - tail;
  const columns = after.length - head - tail;
  if (rows * columns === 0 || rows * columns > MAX_COMPARISONS) return pairs;
  const width = columns + 1;
  const lengths = new Int32Array((rows + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] as number;
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        before[head + row] === after[head + column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  for (let row = 0, column = 0; row < rows && column < columns;) {
    if (before[head + row] === after[head + column]) {
      pairs[head + column] = head + row;
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return pairs;
}
