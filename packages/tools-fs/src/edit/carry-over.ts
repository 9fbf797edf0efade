import { type IndentationMap, indentationOf, mapIndentation } from "../changes/match/indentation.ts";

const splitLines = (text: string): string[] => text.split(/\r\n|\r|\n/);

/**
 * New text for a place that was found although it is not exactly what was asked for: lines that the edit leaves
 * as they are keep the bytes of the file, and the others are indented as the file is there.
 *
 * @param there Text of the place; as many lines as `oldText`.
 * @returns `undefined` when new lines would have to be indented, and it cannot be told how.
 */
export function carryOver(there: string, oldText: string, newText: string): string | undefined {
  const found = splitLines(there);
  const asked = splitLines(oldText);
  const wanted = splitLines(newText);
  const kept = pairEqualLines(asked, wanted);
  let map: IndentationMap | undefined;
  const lines: string[] = [];
  for (const [index, line] of wanted.entries()) {
    const same = kept[index];
    if (same !== undefined) {
      lines.push(found[same] ?? line);
      continue;
    }
    if (line.trim() === "") {
      lines.push(line);
      continue;
    }
    map ??= indentationMap(asked, found);
    const own = indentationOf(line);
    const indentation = index === 0 && own === "" ? startOf(asked, found, map) : map?.(own);
    if (indentation === undefined) return undefined;
    lines.push(indentation + line.slice(own.length));
  }
  return lines.join("\n");
}

/** Text copied from the middle of a line lacks the indentation of its first line: then the others tell. */
function indentationMap(asked: readonly string[], found: readonly string[]): IndentationMap | undefined {
  const map = mapIndentation(asked, found);
  return map === undefined && indentationOf(asked[0] ?? "") === ""
    ? mapIndentation(asked.slice(1), found.slice(1))
    : map;
}

/** A first line without indentation takes the place of one that was asked for without it. */
function startOf(
  asked: readonly string[],
  found: readonly string[],
  map: IndentationMap | undefined,
): string | undefined {
  const first = asked[0] ?? "";
  return first.trim() !== "" && indentationOf(first) === "" ? indentationOf(found[0] ?? "") : map?.("");
}

/** Comparisons beyond which only equal lines at both ends are paired. */
const MAX_COMPARISONS = 1 << 18;

/**
 * For each line of `after` the line of `before` that it is, unchanged and in order; `undefined` for a line that
 * is new. As many as possible, up to a size at which looking for the most would take too long.
 */
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
  // Longest common subsequence of what is left: lengths from each pair of positions to the end.
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
