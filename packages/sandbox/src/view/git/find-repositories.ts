import { attempt, isWithin } from "@haft/system";
import { dirname, join, resolve } from "node:path";
import { isUtf8Path } from "../../mounts/raw-path.ts";
import { readFolder, type EntryKind, getEntryKind } from "../../mounts/read-folder.ts";
import {
  readBackLink,
  findCommonFolder,
  followGitFile,
  isCommonFolder,
  isFile,
  isGitFolder,
  isKnownWorktree,
  isWorktreeFolder,
  isBareLayout,
  listSubmodules,
  realRepositoryPath,
  type Repository,
  listWorktrees,
} from "./repository.ts";
import { readRegularBytes } from "./write/overwrite-settings.ts";

export interface SearchBounds {
  /** Default: 200,000. */
  entries?: number;
  /** Milliseconds. Default: 1,000. */
  ms?: number;
  /** Default: 64. */
  repositories?: number;
}

export interface RepositorySearchResult {
  repositories: Repository[];
  closed: { path: string; why: string }[];
  unsearched: string[];
}

/** Scanned last. */
export const LOW_PRIORITY_FOLDERS: ReadonlySet<string> = new Set([
  "node_modules",
  ".venv",
  "target",
  "vendor",
]);

export function findRepositories(
  roots: readonly string[],
  bounds: SearchBounds = {},
): RepositorySearchResult {
  const search = new Search(roots, bounds.repositories ?? 64);
  const unsearched = eachFolder(roots, bounds, (folder, names) => search.look(folder, names));
  return { ...search.found(), unsearched };
}

export function readRepositories(
  roots: readonly string[],
  folders: readonly string[],
): Pick<RepositorySearchResult, "repositories" | "closed"> {
  const search = new Search(roots, Infinity);
  for (const folder of folders) search.look(folder, namesIn(folder));
  return search.found();
}

function namesIn(folder: string): Map<string, EntryKind> {
  return new Map((attempt(() => readFolder(folder)) ?? []).map((one) => [one.name, getEntryKind(one)]));
}

const STRIDE = 200;
const PART_OF_LEFT = 8;

/** Visits upper folders first, without git's. Past a bound, it returns a few folders that cover the rest. */
function eachFolder(
  roots: readonly string[],
  { entries = 200_000, ms = 1000 }: SearchBounds,
  visit: (folder: string, names: ReadonlyMap<string, EntryKind>) => void,
): string[] {
  const end = performance.now() + ms;
  const waiting = [...roots];
  const last: string[] = [];
  let seen = 0;
  let [at, lastAt] = [0, 0];
  let next = 0;
  for (let read = 0; ; read++) {
    if (read >= next) {
      next = read + STRIDE;
      if (seen > entries || performance.now() > end) {
        const left = [...waiting.slice(at), ...last.slice(lastAt)];
        const covers = coveringFolders(left, roots, MAX_COVERING_FOLDERS);
        if (covers !== undefined) return covers;
        next += Math.floor(left.length / PART_OF_LEFT);
      }
    }
    const folder = at < waiting.length ? waiting[at++] : last[lastAt++];
    if (folder === undefined) return [];
    const names = namesIn(folder);
    seen += names.size;
    visit(folder, names);
    for (const [name, kind] of names) {
      if (kind !== "folder" || name === ".git") continue;
      (LOW_PRIORITY_FOLDERS.has(name) ? last : waiting).push(join(folder, name));
    }
  }
}

class Search {
  readonly repositories = new Map<string, Repository>();
  readonly closed: RepositorySearchResult["closed"] = [];
  readonly #roots: readonly string[];
  readonly #most: number;

  constructor(roots: readonly string[], most: number) {
    this.#roots = roots;
    this.#most = most;
  }

  found(): Pick<RepositorySearchResult, "repositories" | "closed"> {
    return { repositories: [...this.repositories.values()], closed: this.closed };
  }

  look(folder: string, names: ReadonlyMap<string, EntryKind>): void {
    const kind = names.get(".git");
    const path = join(folder, ".git");
    if (kind === "folder") {
      if (isGitFolder(path)) this.#addFolder(path, folder);
    } else if (kind === "file") this.#followed(path);
    else if (kind === "other") this.closed.push({ path, why: "it is a link, which is not followed" });
    // Its `.git` is invalid, so git uses the folder itself.
    if (isBareLayout(names) && isGitFolder(folder)) this.#addFolder(folder, undefined);
  }

  #addFolder(gitFolder: string, top: string | undefined): void {
    const common = findCommonFolder(gitFolder);
    if (common === gitFolder) return this.#add(gitFolder, top);
    if (isWorktreeFolder(gitFolder)) return;
    const where = common === undefined ? "cannot be read" : `leads to ${common}`;
    this.closed.push({ path: gitFolder, why: `its commondir ${where}, and it is not a linked working tree` });
    const isInside = common !== undefined && this.#roots.some((root) => isWithin(common, root));
    if (isInside && isCommonFolder(common)) this.#add(common, topOf(common));
  }

  #followed(gitFile: string): void {
    const gitFolder = followGitFile(gitFile);
    const common = gitFolder === undefined ? undefined : findCommonFolder(gitFolder);
    if (gitFolder === undefined || common === undefined || !isCommonFolder(common)) {
      this.closed.push({ path: gitFile, why: "it does not lead to a repository" });
      return;
    }
    // The scan finds it anyway.
    const isInside = this.#roots.some((root) => isWithin(common, root));
    const isTop = this.#roots.includes(dirname(gitFile));
    if (!isInside && !(isTop && this.#belongs(gitFile, gitFolder, common))) {
      const why = isTop
        ? `it leads to ${common}, which does not list this working tree`
        : `its repository is ${common}, outside of the workspace`;
      this.closed.push({ path: gitFile, why });
      return;
    }
    const known = this.repositories.get(common);
    if (known !== undefined)
      this.repositories.set(common, { ...known, gitFiles: [...known.gitFiles, gitFile] });
    else this.#add(common, topOf(common), gitFile);
  }

  #belongs(gitFile: string, gitFolder: string, common: string): boolean {
    if (gitFolder !== common) return isKnownWorktree(gitFile, gitFolder, common);
    return moduleTop(common) === dirname(gitFile);
  }

  #add(common: string, top: string | undefined, ...gitFiles: string[]): void {
    const known = this.repositories.get(common);
    if (known !== undefined) return;
    if (!isUtf8Path(common)) {
      this.closed.push({ path: common, why: "its path is not UTF-8" });
      return;
    }
    if (this.repositories.size >= this.#most) {
      this.closed.push({ path: common, why: `there are more than ${this.#most} repositories` });
      return;
    }
    const trees = listWorktrees(common).flatMap((tree) => readBackLink(tree) ?? []);
    const inside = trees.filter(
      (path) => isFile(path) && this.#roots.some((root) => isWithin(realRepositoryPath(path) ?? path, root)),
    );
    this.repositories.set(common, { common, top, gitFiles: [...new Set([...gitFiles, ...inside])] });
    for (const path of listSubmodules(common)) this.#add(path, moduleTop(path));
  }
}

function topOf(common: string): string | undefined {
  return common.endsWith("/.git") ? dirname(common) : moduleTop(common);
}

/** From `core.worktree`, in git's own form. */
function moduleTop(common: string): string | undefined {
  const text = readRegularBytes(join(common, "config"))?.toString();
  const [, path] = /^\s*worktree = ([^"\\;#\n]+)$/m.exec(text ?? "") ?? [];
  return path === undefined ? undefined : realRepositoryPath(resolve(common, path.trim()));
}

export const MAX_COVERING_FOLDERS = 64;

/** Returns at most `most` folders; `undefined` if a root would be one, because then no folder would be writable. */
export function coveringFolders(
  paths: readonly string[],
  roots: readonly string[],
  most: number,
): string[] | undefined {
  let covers = [...new Set(paths)];
  if (covers.some((path) => roots.includes(path))) return undefined;
  while (covers.length > most) {
    const depths = covers.map((path) => (roots.includes(dirname(path)) ? 0 : path.split("/").length));
    const deepest = depths.reduce((found, depth) => Math.max(found, depth), 0);
    if (deepest === 0) return undefined;
    covers = [...new Set(covers.map((path, at) => (depths[at] === deepest ? dirname(path) : path)))];
  }
  return covers.filter((path) => !covers.some((other) => other !== path && isWithin(path, other)));
}
