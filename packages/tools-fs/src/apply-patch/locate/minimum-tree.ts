export interface MinimumTree {
  findNext(line: number, column: number): number | undefined;
}

/**
 * Creates a tree of minima: linear to build, logarithmic to query.
 *
 * @param lines Ascending.
 */
export function createMinimumTree(lines: readonly number[], columnOf: (line: number) => number): MinimumTree {
  let size = 1;
  while (size < lines.length) size *= 2;
  const least = new Int32Array(2 * size).fill(0x7fffffff);
  for (const [index, line] of lines.entries()) least[size + index] = columnOf(line);
  for (let node = size - 1; node > 0; node -= 1)
    least[node] = Math.min(least[2 * node] as number, least[2 * node + 1] as number);
  return {
    findNext(line, column) {
      const from = upperBound(lines, line);
      if (from >= lines.length) return undefined;
      let node = size + from;
      while ((least[node] as number) > column) {
        while ((node & 1) === 1) node >>= 1;
        if (node === 0) return undefined;
        node += 1;
      }
      while (node < size) {
        node *= 2;
        if ((least[node] as number) > column) node += 1;
      }
      return lines[node - size];
    },
  };
}

export function upperBound(list: readonly number[], value: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as number) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
