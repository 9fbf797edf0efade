import { isWithin } from "@haft/system";
import { dirname, join } from "node:path";
import { pathToBytes, pathFromBytes } from "../../mounts/raw-path.ts";
import { tryStatEntry } from "../../mounts/stats.ts";
import { findCommonFolder, followGitFile, isCommonFolder } from "../git/repository.ts";
import { readRegularBytes } from "../git/write/overwrite-settings.ts";

/** Real absolute paths. */
export interface WorkingTree {
  top: string;
  /** Contains the index: `.git`, or a folder of a linked working tree or submodule. */
  gitFolder: string;
  common: string;
}

const SHA256 = /^[ \t]*objectformat[ \t]*=[ \t]*"?sha256/im;

/** Searches like git, but within `places`, because a `.git` file can lead anywhere. */
export function findWorkingTree(path: string, folders: readonly string[]): WorkingTree | undefined {
  for (let top = dirname(path); top !== dirname(top); top = dirname(top)) {
    const git = join(top, ".git");
    const stats = tryStatEntry(git);
    const gitFolder =
      stats?.isDirectory() === true ? git : stats?.isFile() === true ? followGitFile(git) : undefined;
    const common = gitFolder && findCommonFolder(gitFolder);
    if (gitFolder === undefined || common === undefined || !isCommonFolder(common)) continue;
    return folders.some((folder) => isWithin(gitFolder, folder)) ? { top, gitFolder, common } : undefined;
  }
  return undefined;
}

export function getHashLength(common: string): number {
  return SHA256.test(readRegularBytes(join(common, "config"))?.toString("latin1") ?? "") ? 32 : 20;
}

/** One character per byte. */
export function nameInIndex(top: string, path: string): string {
  return pathToBytes(path.slice(top === "/" ? 1 : top.length + 1)).toString("latin1");
}

export function pathInTree(top: string, name: string): string {
  return join(top, pathFromBytes(Buffer.from(name, "latin1")));
}

export function isBelowAny(name: string, names: readonly string[]): boolean {
  return names.some((one) => name === one || name.startsWith(`${one}/`));
}
