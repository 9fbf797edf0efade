interface Tarball {
  /** Data files of the package that are published as they lie there. */
  data: readonly string[];
  /** Files it is built from, `src/…`; source maps name them, and they do not come along. */
  sources: readonly string[];
  read: (path: string) => string;
}

/** Files of a tarball that do not belong into it: of other kinds, of tests, and left over from an earlier build. */
export function surplusFiles(paths: readonly string[], { data, sources, read }: Tarball): string[] {
  const all = new Set(sources);
  const scripts = paths.filter((path) => /^dist\/.*\.js$/.test(path));
  const isLeftOver = (path: string) => {
    const source = path.replace(/^dist\//, "src/").replace(/\.d\.ts(\.map)?$/, ".ts");
    if (source !== path && source.endsWith(".ts") && path.includes(".d.ts")) return !all.has(source);
    const chunk = /^dist\/(chunk-\w+\.js)$/.exec(path)?.[1];
    return chunk !== undefined && !scripts.some((other) => other !== path && read(other).includes(chunk));
  };
  return paths.filter(
    (path) =>
      (!ALLOWED.test(path) && !data.includes(path)) ||
      /^dist\/(.*\/)?(test|node_modules)\//.test(path) ||
      isLeftOver(path),
  );
}

const ALLOWED = /^(LICENSE|README\.md|CHANGELOG\.md|package\.json|(dist|docs|skills|template)\/.+)$/;
