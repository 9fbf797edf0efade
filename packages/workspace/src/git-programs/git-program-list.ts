import { dirname } from "node:path";
import { createDenyList, type DenyList, escapeGlob, type PatternPlaces } from "../boundary/deny.ts";
import { findGitPrograms, type GitPrograms, type GitRepository } from "./find-git-programs.ts";
import type { GitEnvironment } from "./git-settings.ts";
import { repositoriesAround } from "./repositories-around.ts";

export { realPlace } from "./find-git-programs.ts";

/** Characters. A longer path is too long for a pattern. */
const LONGEST = 2000;
const MOST_KNOWN = 200;
/** No program of the user's starts and changes a file in less time. */
const FRESH_MS = 1;

interface Known {
  programs: GitPrograms;
  list: DenyList;
}

/**
 * Decides which paths git or its hooks start unasked: in the repositories around a path, and in the repositories of the roots.
 * The first question reads the files. The list keeps the result, and reads again once one of the files has changed.
 */
export function createGitProgramList(places: PatternPlaces, environment: GitEnvironment): DenyList {
  const known = new Map<string, Known>();
  /** Recent lookups: a change of many files asks about many paths at once. */
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
    const list = createDenyList(patternsOf(programs), places);
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
    const folders = [dirname(path), ...(places.roots ?? [places.root])];
    return new Set(folders.flatMap(listsAround));
  };
  return {
    denies: (path) => [...listsFor(path)].some((list) => list.denies(path)),
    pins: (path) => [...listsFor(path)].some((list) => list.pins(path)),
  };
}

function patternsOf({ places, patterns }: Pick<GitPrograms, "places" | "patterns">): string[] {
  return [...places.filter((path) => path.length <= LONGEST).map(escapeGlob), ...patterns];
}
