import { attempt, readRegularFile } from "@haft/system";
import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isUtf8Path, mayHaveLostBytes, nativePath, pathFromBytes } from "../../mounts/raw-path.ts";
import { tryReadFolder } from "../../mounts/read-folder.ts";
import { entryExists } from "../../mounts/stats.ts";

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

/** By names alone: git also accepts a `HEAD` that leads nowhere, and an executable `objects`. */
export function isGitFolder(path: string): boolean {
  return entryExists(join(path, "HEAD")) && (entryExists(join(path, "commondir")) || isCommonFolder(path));
}

/** Has it what working trees of one repository share? Such a folder needs no `HEAD` of its own. */
export function isCommonFolder(path: string): boolean {
  return entryExists(join(path, "objects")) && entryExists(join(path, "refs"));
}

export function isBareLayout(names: { has(name: string): boolean }): boolean {
  return names.has("HEAD") && ((names.has("objects") && names.has("refs")) || names.has("commondir"));
}

/** Is this the folder of a linked working tree, in the place where git keeps it, and part of the repository around it? */
export function isWorktreeFolder(path: string): boolean {
  const common = dirname(dirname(path));
  return (
    basename(dirname(path)) === "worktrees" &&
    findCommonFolder(path) === realRepositoryPath(common) &&
    isCommonFolder(common)
  );
}

/** Where a `.git` file leads; `undefined` when it leads nowhere. */
export function followGitFile(path: string): string | undefined {
  const target = /^gitdir: ([^]+?)\n*$/.exec(textOf(path) ?? "")?.[1];
  return target === undefined ? undefined : realRepositoryPath(resolve(dirname(path), target));
}

/** The folder that a linked working tree shares, or itself. `undefined` when its `commondir` leads nowhere. */
export function findCommonFolder(gitFolder: string): string | undefined {
  const link = join(gitFolder, "commondir");
  if (!entryExists(link)) return gitFolder;
  const text = textOf(link);
  return text === undefined ? undefined : realRepositoryPath(resolve(gitFolder, text.replace(/\n+$/, "")));
}

export function readBackLink(gitFolder: string): string | undefined {
  const text = textOf(join(gitFolder, "gitdir"))?.replace(/\n+$/, "");
  return text === undefined || text === "" ? undefined : resolve(gitFolder, text);
}

/** Whether the repository knows this linked tree: a `.git` file in the tree can say anything. */
export function isKnownWorktree(gitFile: string, gitFolder: string, common: string): boolean {
  const inPlace = dirname(gitFolder) === join(common, "worktrees") && isCommonFolder(common);
  const back = readBackLink(gitFolder);
  return inPlace && back !== undefined && basename(back) === ".git" && realRepositoryPath(back) === gitFile;
}

export function listWorktrees(common: string): string[] {
  return listFolders(join(common, "worktrees"));
}

/** More submodules than a view has walls for: whoever asks for all of them is told that it cannot be. */
const MOST_MODULES = 1000;

/** Folders of submodules, below the shared one and in its linked working trees: the name of one may have slashes. */
export function listSubmodules(common: string, most = MOST_MODULES): string[] {
  const found: string[] = [];
  const waiting = [common, ...listWorktrees(common)].flatMap((one) => listFolders(join(one, "modules")));
  for (let looked = 0; looked < 4 * most && waiting.length > 0 && found.length < most; looked++) {
    const path = waiting.shift()!;
    if (isGitFolder(path)) found.push(path);
    else waiting.push(...listFolders(path));
  }
  return found;
}

export function listFolders(path: string): string[] {
  return tryReadFolder(path).flatMap((one) => (one.isDirectory() ? [join(path, one.name)] : []));
}

export function isFile(path: string): boolean {
  return attempt(() => statSync(nativePath(path)).isFile()) === true;
}

export function realRepositoryPath(path: string): string | undefined {
  if (isUtf8Path(path)) {
    const real = attempt(() => realpathSync.native(path));
    if (real === undefined || !mayHaveLostBytes(real)) return real;
  }
  return attempt(() => pathFromBytes(realpathSync.native(nativePath(path), "buffer")));
}

/** Of a small regular file; nothing else is opened. */
function textOf(path: string): string | undefined {
  return attempt(() => pathFromBytes(readRegularFile(nativePath(path), { maxBytes: LONGEST })));
}
