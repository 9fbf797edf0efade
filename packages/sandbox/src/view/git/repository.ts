import { attempt, readRegularFile } from "@haft/system";
import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isUtf8Path, mayHaveLostBytes, nativePath, pathFromBytes } from "../../mounts/raw-path.ts";
import { tryReadFolder } from "../../mounts/read-folder.ts";
import { entryExists } from "../../mounts/stats.ts";

/** Real absolute paths. */
export interface Repository {
  /** Contains `config`, `objects` and `refs`; usually `.git`. */
  common: string;
  /** `undefined` for a bare repository. */
  top: string | undefined;
  gitFiles: readonly string[];
}

/** Longer than any path, in bytes. */
const LONGEST = 8192;

/** Names only: git also accepts a broken `HEAD`. */
export function isGitFolder(path: string): boolean {
  return entryExists(join(path, "HEAD")) && (entryExists(join(path, "commondir")) || isCommonFolder(path));
}

/** Needs no `HEAD`. */
export function isCommonFolder(path: string): boolean {
  return entryExists(join(path, "objects")) && entryExists(join(path, "refs"));
}

export function isBareLayout(names: { has(name: string): boolean }): boolean {
  return names.has("HEAD") && ((names.has("objects") && names.has("refs")) || names.has("commondir"));
}

export function isWorktreeFolder(path: string): boolean {
  const common = dirname(dirname(path));
  return (
    basename(dirname(path)) === "worktrees" &&
    findCommonFolder(path) === realRepositoryPath(common) &&
    isCommonFolder(common)
  );
}

export function followGitFile(path: string): string | undefined {
  const target = /^gitdir: ([^]+?)\n*$/.exec(textOf(path) ?? "")?.[1];
  return target === undefined ? undefined : realRepositoryPath(resolve(dirname(path), target));
}

/** Returns the shared folder, or the folder itself. `undefined` if `commondir` is broken. */
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

/** The `.git` file alone proves nothing. */
export function isKnownWorktree(gitFile: string, gitFolder: string, common: string): boolean {
  const isUsual = dirname(gitFolder) === join(common, "worktrees") && isCommonFolder(common);
  const back = readBackLink(gitFolder);
  return isUsual && back !== undefined && basename(back) === ".git" && realRepositoryPath(back) === gitFile;
}

export function listWorktrees(common: string): string[] {
  return listFolders(join(common, "worktrees"));
}

const MOST_MODULES = 1000;

/** Includes linked working trees. Names may contain slashes. */
export function listSubmodules(common: string, most = MOST_MODULES): string[] {
  const found: string[] = [];
  const waiting = [common, ...listWorktrees(common)].flatMap((one) => listFolders(join(one, "modules")));
  for (let visited = 0; visited < 4 * most && waiting.length > 0 && found.length < most; visited++) {
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

/** Small regular files only. */
function textOf(path: string): string | undefined {
  return attempt(() => pathFromBytes(readRegularFile(nativePath(path), { maxBytes: LONGEST })));
}
