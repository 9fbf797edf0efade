import { isWithin } from "@haft/system";
import { dirname, join } from "node:path";
import { pathToBytes, pathFromBytes } from "../../mounts/raw-path.ts";
import { tryStatEntry } from "../../mounts/stats.ts";
import { findCommonFolder, followGitFile, isCommonFolder } from "../git/repository.ts";
import { readRegularBytes } from "../git/write/overwrite-settings.ts";

/** The working tree of git that a file lies in. Real absolute paths. */
export interface WorkingTree {
  top: string;
  /** The folder with the index of this working tree: `.git`, or a folder of a linked working tree or submodule. */
  gitFolder: string;
  common: string;
}

const SHA256 = /^[ \t]*objectformat[ \t]*=[ \t]*"?sha256/im;

/** The nearest folder above with a repository, as for git, within `places`: a `.git` file can lead anywhere. */
export function findWorkingTree(path: string, places: readonly string[]): WorkingTree | undefined {
  for (let top = dirname(path); top !== dirname(top); top = dirname(top)) {
    const git = join(top, ".git");
    const stats = tryStatEntry(git);
    const gitFolder =
      stats?.isDirectory() === true ? git : stats?.isFile() === true ? followGitFile(git) : undefined;
    const common = gitFolder && findCommonFolder(gitFolder);
    if (gitFolder === undefined || common === undefined || !isCommonFolder(common)) continue;
    return places.some((place) => isWithin(gitFolder, place)) ? { top, gitFolder, common } : undefined;
  }
  return undefined;
}

/** Bytes of the name of an object in a repository: 20, or 32. */
export function getHashLength(common: string): number {
  return SHA256.test(readRegularBytes(join(common, "config"))?.toString("latin1") ?? "") ? 32 : 20;
}

/** A path as an index has it, one character per byte. */
export function nameInIndex(top: string, path: string): string {
  return pathToBytes(path.slice(top === "/" ? 1 : top.length + 1)).toString("latin1");
}

export function pathInTree(top: string, name: string): string {
  return join(top, pathFromBytes(Buffer.from(name, "latin1")));
}

/** Is this one of some files, or in one of some folders? All as an index names them. */
export function isBelowAny(name: string, names: readonly string[]): boolean {
  return names.some((one) => name === one || name.startsWith(`${one}/`));
}
