import { attempt, readRegularFile } from "@haft/system";
import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createDenyList, type DenyList, escapeGlob, type PatternContext } from "../boundary/deny.ts";
import { findGitPrograms, type GitPrograms, type GitRepository } from "./find-git-programs.ts";
import type { GitEnvironment } from "./git-settings.ts";
import { parseGitConfig } from "./parse-git-config.ts";

export { resolveRealPath } from "./find-git-programs.ts";

const LONGEST = 2000;
const MOST_KNOWN = 200;
const FRESH_MS = 1;

interface Known {
  programs: GitPrograms;
  list: DenyList;
}

export function createGitProgramList(context: PatternContext, environment: GitEnvironment): DenyList {
  const known = new Map<string, Known>();
  /** A change of many files checks many paths at once. */
  let latest = { at: -Infinity, around: new Map<string, DenyList[]>(), fresh: new Set<string>() };
  const lookups = () => {
    const now = performance.now();
    if (now - latest.at > FRESH_MS) latest = { at: now, around: new Map(), fresh: new Set() };
    return latest;
  };
  const listOf = (repository: GitRepository): DenyList => {
    const key = [repository.common, ...repository.tops].join("\0");
    const { fresh } = lookups();
    const found = known.get(key);
    if (found !== undefined && (fresh.has(key) || !found.programs.stamps.haveChanged())) {
      fresh.add(key);
      return found.list;
    }
    const programs = findGitPrograms(repository, environment);
    const wanted = programs.paths.filter((path) => path.length <= LONGEST).map(escapeGlob);
    const list = createDenyList([...wanted, ...programs.patterns], context);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(key, { programs, list });
    fresh.add(key);
    return list;
  };
  const listsAround = (folder: string): DenyList[] => {
    const { around } = lookups();
    let lists = around.get(folder);
    if (lists === undefined) around.set(folder, (lists = repositoriesAround(folder).map(listOf)));
    return lists;
  };
  const listsFor = (path: string): Set<DenyList> => {
    const folders = [dirname(path), ...(context.roots ?? [context.root])];
    return new Set(folders.flatMap(listsAround));
  };
  return {
    denies: (path) => [...listsFor(path)].some((list) => list.denies(path)),
    pins: (path) => [...listsFor(path)].some((list) => list.pins(path)),
  };
}

const LARGEST = 8192;
const MOST_MODULES = 200;

/** Includes submodules. The innermost repository comes first. @param folder real and absolute */
function repositoriesAround(folder: string): GitRepository[] {
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
  // A bare repository, or the shared folder of a repository with linked work trees.
  return isGitFolder(folder) ? { common: folder, tops: [] } : undefined;
}

function isGitFolder(folder: string): boolean {
  const isFolder = (name: string) =>
    attempt(() => lstatSync(join(folder, name), { throwIfNoEntry: false }))?.isDirectory() === true;
  return isFolder("objects") && isFolder("refs");
}

function commonOf(gitFolder: string): string {
  const text = textOf(join(gitFolder, "commondir")).replace(/\n+$/, "");
  return (text === "" ? undefined : realOf(resolve(gitFolder, text))) ?? realOf(gitFolder) ?? gitFolder;
}

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

function textOf(path: string, largest = LARGEST): string {
  return attempt(() => readRegularFile(path, { maxBytes: largest }).toString("utf8")) ?? "";
}
