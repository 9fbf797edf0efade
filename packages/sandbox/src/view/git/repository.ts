import { attempt } from "@haft/workspace/internal/system";
import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** A repository of git, by what all its working trees share. Real absolute paths. */
export interface Repository {
  /** The folder with `config`, `objects` and `refs`: `.git`, most often. */
  common: string;
  /** The folder that its files are in; `undefined` for a bare one. */
  top: string | undefined;
  /** Files that lead here from working trees and submodules: `.git` of theirs. */
  gitFiles: readonly string[];
}

/** Bytes of a `.git` file that are read: a path is no longer. */
const LONGEST = 8192;

/** Does this folder look like one of git's own, as git tells it? */
export function isGitFolder(path: string): boolean {
  return isFile(join(path, "HEAD")) && isFolder(join(path, "objects")) && isFolder(join(path, "refs"));
}

/** Where a `.git` file leads; `undefined` when it leads nowhere. */
export function followGitFile(path: string): string | undefined {
  const target = /^gitdir: ([^]+?)\n*$/.exec(textOf(path) ?? "")?.[1];
  return target === undefined ? undefined : realOf(resolve(dirname(path), target));
}

/** The folder that a folder of a linked working tree shares with others; itself when it is no such folder. */
export function commonOf(gitFolder: string): string | undefined {
  const text = textOf(join(gitFolder, "commondir"));
  return text === undefined ? gitFolder : realOf(resolve(gitFolder, text.replace(/\n+$/, "")));
}

/** The `.git` file of the working tree that a folder in `worktrees` is for, as that says. */
export function backLink(gitFolder: string): string | undefined {
  const text = textOf(join(gitFolder, "gitdir"))?.replace(/\n+$/, "");
  return text === undefined || text === "" ? undefined : resolve(gitFolder, text);
}

/**
 * Is this the folder of a linked working tree whose repository knows it? Whoever writes into the working tree can write any
 * `.git` file there; what the repository says of it, nobody in there can.
 */
export function isKnownWorktree(gitFile: string, gitFolder: string, common: string): boolean {
  const inPlace = dirname(gitFolder) === join(common, "worktrees") && isGitFolder(common);
  const back = backLink(gitFolder);
  return inPlace && back !== undefined && basename(back) === ".git" && realOf(back) === gitFile;
}

/** Folders of linked working trees, below the shared one. */
export function worktreesOf(common: string): string[] {
  return foldersIn(join(common, "worktrees"));
}

/** More submodules than a view has walls for: whoever asks for all of them is told that it cannot be. */
const MOST_MODULES = 1000;

/** Folders of submodules, below the shared one and in its linked working trees: the name of one may have slashes. */
export function modulesOf(common: string, most = MOST_MODULES): string[] {
  const found: string[] = [];
  const waiting = [common, ...worktreesOf(common)].flatMap((one) => foldersIn(join(one, "modules")));
  for (let looked = 0; looked < 4 * most && waiting.length > 0 && found.length < most; looked++) {
    const path = waiting.shift()!;
    if (isGitFolder(path)) found.push(path);
    else waiting.push(...foldersIn(path));
  }
  return found;
}

export function foldersIn(path: string): string[] {
  const entries = attempt(() => readdirSync(path, { withFileTypes: true })) ?? [];
  return entries.filter((one) => one.isDirectory()).map(({ name }) => join(path, name));
}

export function isFile(path: string): boolean {
  return attempt(() => statSync(path).isFile()) === true;
}

export function isFolder(path: string): boolean {
  return attempt(() => statSync(path).isDirectory()) === true;
}

export function realOf(path: string): string | undefined {
  return attempt(() => realpathSync.native(path));
}

/** Of a small regular file; nothing else is opened. */
function textOf(path: string): string | undefined {
  return attempt(() => {
    const stats = lstatSync(path);
    return stats.isFile() && stats.size <= LONGEST ? readFileSync(path, "utf8") : undefined;
  });
}
