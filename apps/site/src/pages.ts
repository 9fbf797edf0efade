import { globSync } from "node:fs";
import { join } from "node:path";

export const root: string = join(import.meta.dirname, "../../..");

/** The site's path on a host: `SITE_BASE=/haft/`. */
export const base: string = process.env["SITE_BASE"] ?? "/";

/** The staging folder of a build. */
export const stage: string = join(import.meta.dirname, "../.pages");

/** Paths of documents with a page, and their pictures, from the root. */
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

/** Pages outside docs/. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "apps/site/home.md": "index.md",
  "README.md": "haft.md",
  "ARCHITECTURE.md": "architecture/map.md",
  "CONTRIBUTING.md": "contributing.md",
  "SECURITY.md": "security.md",
  "docs/README.md": "contents.md",
};

/** Folders in links, and their documents. */
const FOLDERS: Readonly<Record<string, string>> = {
  docs: "docs/README.md",
  "docs/guides": "docs/README.md",
  "docs/reference": "docs/README.md",
  "docs/architecture": "docs/architecture/README.md",
  examples: "examples/README.md",
};

/** The page of a repository path, if any: `docs/guides/policy.md` → `guides/policy.md`. Folders have their README's page. */
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
