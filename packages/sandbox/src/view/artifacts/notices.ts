import { basename } from "node:path";
import { printRawPath as shown } from "../../mounts/raw-path.ts";
import { quoteShellWord } from "../../quote-shell-word.ts";
import type { QuarantineResult } from "../quarantine/quarantine.ts";
import type { EndedPlanter } from "./planters/end-planter.ts";

export interface ArtifactReport {
  quarantined: QuarantineResult[];
  newRepositories: string[];
  endedPlanters: (EndedPlanter & { path: string; count: number })[];
  unscanned: { count: number; first: string[] };
  notices: string[];
}

const MOST = 3;
const LONGEST = 200;
const UNSHOWN = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

export function formatNotices(
  { quarantined, newRepositories, endedPlanters, unscanned }: Omit<ArtifactReport, "notices">,
  list: string,
): string[] {
  if (quarantined.length + newRepositories.length + endedPlanters.length + unscanned.count === 0) return [];
  const kinds = Map.groupBy(quarantined, ({ why }) => why);
  const moved = Array.from(kinds).flatMap(([why, all]) =>
    all.length <= MOST ? all.map(movedOne) : [movedMany(why, all, list)],
  );
  const tops = newRepositories.map((path) => (basename(path) === ".git" ? path.slice(0, -5) : path));
  const one = tops.length === 1;
  const made =
    tops.length === 0
      ? []
      : [
          `The ${one ? "repository" : "repositories"} ${some(tops)} came from a contained command: Haft does not start git in ${one ? "it" : "them"} outside of the view.`,
        ];
  const rest =
    unscanned.count === 0
      ? []
      : [
          `Not yet searched for files of commands that other programs would run: ${some(unscanned.first, unscanned.count)}. The search continues, and completes before a command runs outside or the session ends.`,
        ];
  return [...moved, ...made, ...endedPlanters.map(formatEndedNotice), ...rest];
}

export function formatEndedNotice({
  path,
  count,
  command,
  processes,
}: ArtifactReport["endedPlanters"][number]): string {
  const which = processes === 1 ? "the process that wrote it" : `the ${processes} processes that wrote it`;
  return `Ended: ${which} again and again (${shown(command)}). ${shown(path)} was moved aside ${count} times, because it starts programs automatically.`;
}

export function formatNotMovedNotice(path: string, why: string): string {
  return `Not held back, although other programs would run it: ${shown(path)} could not be moved aside (${why}). Check it before you work there.`;
}

function some(paths: readonly string[], count = paths.length): string {
  const names = paths.slice(0, MOST).map(shown).join(", ");
  return count > MOST ? `${names} and ${count - MOST} more` : names;
}

function movedOne(one: QuarantineResult): string {
  const { path, kept, why, rest } = one;
  const how = rest === undefined ? `haft sandbox restore ${asWord(path)}` : "mv";
  const tracked = isMarked(one) ? " Git tracks it and does not report it as deleted." : aboutLocks([one]);
  return `Held back: ${shown(path)}, because ${why}. It is stored as ${shown(kept)}; a person can restore it with ${how}.${tracked}`;
}

function movedMany(why: string, all: readonly QuarantineResult[], list: string): string {
  const locks = aboutLocks(all);
  const tracked =
    all.some(isMarked) && locks === "" ? " Git does not report the tracked files as deleted." : locks;
  return `Held back: ${some(all.map(({ path }) => path))}, because ${why}. The new paths are in ${list}; a person can restore them with haft sandbox restore --all.${tracked}`;
}

function isMarked({ git, isUnmarked }: QuarantineResult): boolean {
  return git !== undefined && isUnmarked !== true;
}

function aboutLocks(all: readonly QuarantineResult[]): string {
  const folders = all.flatMap(({ git, isUnmarked }) => (isUnmarked && git ? [git.gitFolder] : []));
  if (folders.length === 0) return "";
  const locks = [...new Set(folders)].map((folder) => `${folder}/index.lock`);
  return ` While ${some(locks)} exists, git can report tracked files of these as deleted. When the lock is released, this or the next contained session marks them in the index. If git has already staged the deletion, a person can revert it with git restore --staged PATH.`;
}

function asWord(path: string): string {
  if (UNSHOWN.test(path) || path.length > LONGEST) return "PATH";
  return /^[\w@%+=:,./-]+$/.test(path) ? path : quoteShellWord(path);
}
