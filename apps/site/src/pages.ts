import { globSync } from "node:fs";
import { join } from "node:path";

/** The repository. */
export const root: string = join(import.meta.dirname, "../../..");

/** Below which path of a host the site will be: `SITE_BASE=/haft/`. */
export const base: string = process.env["SITE_BASE"] ?? "/";

/** Where the pages are put together, as a build of the site reads them. */
export const stage: string = join(import.meta.dirname, "../.pages");

/** Documents of the repository that have a page, and pictures that those show: paths from the root. */
export function documents(): string[] {
  const patterns = [
    "docs/**/*.{md,svg,png}",
    "packages/*/README.md",
    "examples/*.{md,ts}",
    "apps/site/*.md",
    "*.md",
  ];
  return globSync(patterns, { cwd: root })
    .filter((path) => toPagePath(path) !== undefined)
    .toSorted();
}

/** Those that stand outside of docs/. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "apps/site/home.md": "index.md",
  "README.md": "haft.md",
  "ARCHITECTURE.md": "architecture/map.md",
  "CONTRIBUTING.md": "contributing.md",
  "SECURITY.md": "security.md",
  "docs/README.md": "contents.md",
};

/** Folders that a link may name, and the document that stands for each. */
const FOLDERS: Readonly<Record<string, string>> = {
  docs: "docs/README.md",
  "docs/guides": "docs/README.md",
  "docs/reference": "docs/README.md",
  "docs/architecture": "docs/architecture/README.md",
  examples: "examples/README.md",
};

/**
 * The page of the site that a path of the repository has, or `undefined` where it has none: `docs/guides/policy.md` →
 * `guides/policy.md`. Folders have the page of their README.
 */
export function toPagePath(path: string): string | undefined {
  const named = FOLDERS[path] ?? path;
  if (ELSEWHERE[named] !== undefined) return ELSEWHERE[named];
  const [, name] = /^packages\/([^/]+)(?:\/README\.md)?$/.exec(named) ?? [];
  if (name !== undefined) return `packages/${name}.md`;
  if (/^examples\/[^/]+\.(?:ts|md)$/.test(named)) return withIndex(named.replace(/\.ts$/, ".md"));
  return /^docs\/.+\.(?:md|svg|png)$/.test(named) ? withIndex(named.slice("docs/".length)) : undefined;
}

function withIndex(path: string): string {
  return path.replace(/(^|\/)README\.md$/, "$1index.md");
}
