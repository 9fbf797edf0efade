interface Tarball {
  /** Data files that are published unchanged. */
  data: readonly string[];
  /** Unpublished sources (`src/…`), which source maps name. */
  sources: readonly string[];
  read: (path: string) => string;
}

/** Finds files of tests, other kinds and earlier builds. */
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
