/** Comparisons beyond which only equal lines at both ends are paired. */
const MAX_COMPARISONS = 1 << 18;

/**
 * For each line of `after` the line of `before` that it is, unchanged and in order; `undefined` for a line that
 * is new. As many as possible, up to a size at which looking for the most would take too long.
 */
export function pairEqualLines(
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
