import { attempt, isWithin } from "@haft/workspace/internal/system";
import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Repository } from "./repository.ts";
import {
  backLink,
  commonOf,
  followGitFile,
  isFile,
  isGitFolder,
  isKnownWorktree,
  modulesOf,
  realOf,
  worktreesOf,
} from "./repository.ts";
import { readWhole } from "./write/write-in-place.ts";

/** How far is looked for repositories in the folders where commands write. */
export interface SearchBounds {
  /** 20,000 by default. */
  entries?: number;
  /** Milliseconds, 150 by default. */
  ms?: number;
  /** 64 by default. */
  repositories?: number;
}

/** What was found in some folders. */
export interface FoundRepositories {
  repositories: Repository[];
  /** `.git` files and folders that no repository stands behind which may be changed, each with the reason. */
  closed: { path: string; why: string }[];
  /** Folders that a bound left unlooked at. */
  unlooked: number;
}

/** Looked into after all others: nobody works there. */
export const LOOKED_INTO_LAST: ReadonlySet<string> = new Set(["node_modules", ".venv", "target", "vendor"]);

/** @param roots real paths of the folders where commands write */
export function findRepositories(roots: readonly string[], bounds: SearchBounds = {}): FoundRepositories {
  const search = new Search(roots, bounds.repositories ?? 64);
  const unlooked = eachFolder(roots, bounds, (folder, names) => search.look(folder, names));
  return { repositories: [...search.repositories.values()], closed: search.closed, unlooked };
}

/**
 * Looks at folders and what is in them, the upper ones first, and not into those of git. Answers how many a bound left
 * unlooked at, of those that are known. No `FolderWalk`: this is done once, at once, and before anything runs, so that there is
 * nothing to remember and nobody to give a turn to.
 */
function eachFolder(
  roots: readonly string[],
  { entries = 20_000, ms = 150 }: SearchBounds,
  look: (folder: string, names: ReadonlyMap<string, "file" | "folder" | "other">) => void,
): number {
  const until = performance.now() + ms;
  const waiting = [...roots];
  const last: string[] = [];
  let seen = 0;
  for (let at = 0, lastAt = 0; ;) {
    const folder = at < waiting.length ? waiting[at++] : last[lastAt++];
    if (folder === undefined) return 0;
    const found = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
    seen += found.length;
    const kind = (one: (typeof found)[number]) =>
      one.isDirectory() ? "folder" : one.isFile() ? "file" : "other";
    look(folder, new Map(found.map((one) => [one.name, kind(one)])));
    const isBare = found.some(({ name }) => name === "HEAD") && isGitFolder(folder);
    for (const one of isBare ? [] : found) {
      if (!one.isDirectory() || one.name === ".git") continue;
      (LOOKED_INTO_LAST.has(one.name) ? last : waiting).push(join(folder, one.name));
    }
    if (seen > entries || performance.now() > until) return waiting.length - at + last.length - lastAt;
  }
}

class Search {
  readonly repositories = new Map<string, Repository>();
  readonly closed: FoundRepositories["closed"] = [];
  readonly #roots: readonly string[];
  readonly #most: number;

  constructor(roots: readonly string[], most: number) {
    this.#roots = roots;
    this.#most = most;
  }

  look(folder: string, names: ReadonlyMap<string, string>): void {
    const kind = names.get(".git");
    const path = join(folder, ".git");
    if (kind === "folder") {
      if (isGitFolder(path)) this.#add(path, folder);
    } else if (kind === "file") this.#followed(path);
    else if (kind === "other") this.closed.push({ path, why: "it is a link, which is not followed" });
    else if (names.has("HEAD") && isGitFolder(folder)) this.#add(folder, undefined);
  }

  #followed(gitFile: string): void {
    const gitFolder = followGitFile(gitFile);
    const common = gitFolder === undefined ? undefined : commonOf(gitFolder);
    if (gitFolder === undefined || common === undefined || !isGitFolder(common)) {
      this.closed.push({ path: gitFile, why: "it leads to no repository" });
      return;
    }
    // Where commands write, the repository is found by itself, and held.
    const isInside = this.#roots.some((root) => isWithin(common, root));
    const isTop = this.#roots.includes(dirname(gitFile));
    if (!isInside && !(isTop && this.#belongs(gitFile, gitFolder, common))) {
      const why = isTop
        ? `it leads to ${common}, which does not say that this is a working tree of it`
        : `its repository is ${common}, outside of the workspace`;
      this.closed.push({ path: gitFile, why });
      return;
    }
    const known = this.repositories.get(common);
    if (known !== undefined)
      this.repositories.set(common, { ...known, gitFiles: [...known.gitFiles, gitFile] });
    else this.#add(common, topOf(common), gitFile);
  }

  /** Of a linked working tree, or of a submodule, whose repository lies outside. */
  #belongs(gitFile: string, gitFolder: string, common: string): boolean {
    if (gitFolder !== common) return isKnownWorktree(gitFile, gitFolder, common);
    return moduleTop(common) === dirname(gitFile);
  }

  #add(common: string, top: string | undefined, ...gitFiles: string[]): void {
    const known = this.repositories.get(common);
    if (known !== undefined) return;
    if (this.repositories.size >= this.#most) {
      this.closed.push({ path: common, why: `there are more than ${this.#most} repositories` });
      return;
    }
    const trees = worktreesOf(common).flatMap((tree) => backLink(tree) ?? []);
    const inside = trees.filter(
      (path) => isFile(path) && this.#roots.some((root) => isWithin(realOf(path) ?? path, root)),
    );
    this.repositories.set(common, { common, top, gitFiles: [...new Set([...gitFiles, ...inside])] });
    for (const path of modulesOf(common)) this.#add(path, moduleTop(path));
  }
}

function topOf(common: string): string | undefined {
  return common.endsWith("/.git") ? dirname(common) : moduleTop(common);
}

/** The folder of a submodule, as `core.worktree` says in the form in which git writes it. */
function moduleTop(common: string): string | undefined {
  const text = readWhole(join(common, "config"))?.toString();
  const [, path] = /^\s*worktree = ([^"\\;#\n]+)$/m.exec(text ?? "") ?? [];
  return path === undefined ? undefined : realOf(resolve(common, path.trim()));
}
