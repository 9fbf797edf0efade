import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { attempt } from "../system/attempt.ts";
import { readRegularFile } from "../system/read-regular-file.ts";
import type { GitRepository } from "./find-git-programs.ts";
import { parseGitConfig } from "./parse-git-config.ts";

const LONGEST = 8192;
const MOST_MODULES = 200;

/** The repositories that a folder lies in, with their submodules, the innermost first. @param folder real and absolute */
export function repositoriesAround(folder: string): GitRepository[] {
  const found: GitRepository[] = [];
  for (let at = folder; ; at = dirname(at)) {
    const repository = repositoryAt(at);
    if (repository !== undefined) found.push(repository, ...submodulesOf(repository.common));
    if (at === dirname(at)) return found;
  }
}

function repositoryAt(folder: string): GitRepository | undefined {
  const git = join(folder, ".git");
  const stats = attempt(() => statSync(git, { throwIfNoEntry: false }));
  if (stats?.isDirectory() === true) return { common: commonOf(git), tops: [folder] };
  if (stats?.isFile() === true) {
    const target = /^gitdir: ([^]+?)\n*$/.exec(textOf(git))?.[1];
    const gitFolder = target === undefined ? undefined : realOf(resolve(folder, target));
    return gitFolder === undefined ? undefined : { common: commonOf(gitFolder), tops: [folder] };
  }
  // A bare repository, or the shared folder of one that is split.
  return isGitFolder(folder) ? { common: folder, tops: [] } : undefined;
}

function isGitFolder(folder: string): boolean {
  const isFolder = (name: string) => attempt(() => lstatSync(join(folder, name)).isDirectory()) === true;
  return isFolder("objects") && isFolder("refs");
}

function commonOf(gitFolder: string): string {
  const text = textOf(join(gitFolder, "commondir")).replace(/\n+$/, "");
  return (text === "" ? undefined : realOf(resolve(gitFolder, text))) ?? realOf(gitFolder) ?? gitFolder;
}

/** Repositories of submodules, whose settings may name hooks in the working tree around them. */
function submodulesOf(common: string): GitRepository[] {
  const found: GitRepository[] = [];
  const waiting = foldersIn(join(common, "modules"));
  for (let looked = 0; looked < 4 * MOST_MODULES && found.length < MOST_MODULES; looked++) {
    const folder = waiting.shift();
    if (folder === undefined) break;
    if (!isGitFolder(folder)) {
      waiting.push(...foldersIn(folder));
      continue;
    }
    const settings = parseGitConfig(textOf(join(folder, "config"), 1024 * 1024));
    const top = settings.findLast(([key]) => key === "core.worktree")?.[1];
    const real = top === undefined ? undefined : realOf(resolve(folder, top));
    found.push({ common: folder, tops: real === undefined ? [] : [real] });
  }
  return found;
}

function foldersIn(path: string): string[] {
  const entries = attempt(() => readdirSync(path, { withFileTypes: true })) ?? [];
  return entries.filter((one) => one.isDirectory()).map(({ name }) => join(path, name));
}

function realOf(path: string): string | undefined {
  return attempt(() => realpathSync.native(path));
}

function textOf(path: string, largest = LONGEST): string {
  return attempt(() => readRegularFile(path, { largest }).toString("utf8")) ?? "";
}
