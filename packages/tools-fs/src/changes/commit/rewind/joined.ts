/**
 * Which of these paths hang together: those named together, and a path with one below it, as one of them has to be gone for
 * the other to be there.
 *
 * @returns something that is the same for paths of one group
 */
export function joined(together: readonly (readonly string[])[]): (path: string) => string {
  const parents = new Map<string, string>();
  const rootOf = (path: string): string => {
    const parent = parents.get(path) ?? path;
    return parent === path ? path : rootOf(parent);
  };
  const join = (one: string, other: string): void => void parents.set(rootOf(one), rootOf(other));
  for (const [first, ...others] of together) {
    if (first === undefined) continue;
    if (!parents.has(first)) parents.set(first, first);
    for (const other of others) {
      if (!parents.has(other)) parents.set(other, other);
      join(other, first);
    }
  }
  const all = [...parents.keys()];
  const known = new Set(all);
  for (const path of all)
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const above = path.slice(0, end);
      if (known.has(above)) join(path, above);
    }
  return rootOf;
}
