import { findGitPrograms, type HostProgram, isWithin } from "@haft/workspace/internal/system";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { entriesIn } from "../../mounts/read-folder.ts";
import { isThere, statsOf } from "../../mounts/stats.ts";
import { harmlessKey, isFoundOut, type SettingsGround } from "../git/harmless.ts";
import { backLink, realRepositoryPath, worktreesOf } from "../git/repository.ts";
import { changedText, readSettingsText } from "../git/settings-file.ts";
import { readWhole } from "../git/write/write-in-place.ts";
import type { KeptAside, TakenOut } from "../quarantine/kept-aside.ts";
import { isInAny } from "./links.ts";

export interface Cleaning {
  git: HostProgram | undefined;
  kept: KeptAside;
  folder: string;
}

/** How a repository is stored: without these git does not understand it. */
const FORMAT =
  /^(?:core\.(?:repositoryformatversion|bare)|extensions\.(?:objectformat|compatobjectformat|refstorage|partialclone|preciousobjects|noop|noop-v1))$/;
const PROMISOR = /^remote\..+\.(?:promisor|partialclonefilter)$/s;
const SPARSE = /^(?:core\.sparsecheckout(?:cone)?|index\.sparse)$/;
const LEADS_ELSEWHERE = "git would take settings and hooks from elsewhere";
/** Files of hooks that are looked at in one working tree. */
const MOST_HOOKS = 500;

/** Did a command make it, or put it there? Also with folders below another one. */
export type IsNew = (path: string, below?: string) => boolean;

/** What of a known repository could not be held by a mount, as it was not there, and is now. */
export function cleanParts(common: string, { kept }: Cleaning, isNew: IsNew): TakenOut[] {
  const out: TakenOut[] = [];
  const commondir = join(common, "commondir");
  if (isThere(commondir) && isNew(commondir)) out.push(...kept.move(commondir, LEADS_ELSEWHERE));
  const hooks = join(common, "hooks");
  if (statsOf(hooks)?.isSymbolicLink() === true && isNew(hooks))
    out.push(...kept.move(hooks, "git would run what is there"));
  else {
    for (const { name } of entriesIn(hooks)) {
      const path = join(hooks, name);
      if (!name.endsWith(".sample") && isNew(path, common))
        out.push(...kept.move(path, "git runs it by itself"));
    }
  }
  for (const tree of worktreesOf(common)) {
    const path = join(tree, "commondir");
    if (!isThere(path) || !isNew(path, common) || readWhole(path)?.toString() === "../..\n") continue;
    out.push(...kept.replace(path, Buffer.from("../..\n"), LEADS_ELSEWHERE));
  }
  return out;
}

/** Settings of single working trees, which may say how much of it is there and no more. */
export async function cleanTreeSettings(
  common: string,
  { git, kept }: Cleaning,
  isNew: IsNew,
): Promise<TakenOut[]> {
  const out: TakenOut[] = [];
  for (const tree of [common, ...worktreesOf(common)]) {
    const path = join(tree, "config.worktree");
    if (!isThere(path) || !isNew(path, common)) continue;
    const text = readWhole(path);
    const settings = text && git && (await readSettingsText(git, text));
    if (settings !== undefined && [...settings.keys()].every((key) => SPARSE.test(key))) continue;
    out.push(...kept.move(path, "it can name programs that git starts"));
  }
  return out;
}

/** Leaves a repository that a command made with what cannot start anything: its settings, no hooks. */
export async function cleanNewRepository(
  common: string,
  ground: SettingsGround,
  cleaning: Cleaning,
): Promise<TakenOut[]> {
  const always = (): boolean => true;
  return [
    ...cleanParts(common, cleaning, always),
    ...(await cleanTreeSettings(common, cleaning, always)),
    ...(await cleanSettings(common, ground, cleaning)),
  ];
}

/** Leaves settings that commands may have written with what cannot start anything. */
export async function cleanSettings(
  common: string,
  ground: SettingsGround,
  { git, folder, kept }: Cleaning,
): Promise<TakenOut[]> {
  const path = join(common, "config");
  const text = readWhole(path);
  if (text === undefined && !isThere(path)) return [];
  const settings = text && git && (await readSettingsText(git, text));
  if (git === undefined || text === undefined || settings === undefined)
    return kept.move(path, "its settings cannot be read, so nobody knows what they start");
  const isKept = (key: string, values: readonly string[]): boolean =>
    harmlessKey(key, values, ground) !== undefined ||
    isFoundOut(key) ||
    FORMAT.test(key) ||
    PROMISOR.test(key) ||
    (key === "core.worktree" && values.every((value) => isInAny(resolve(common, value), ground.roots)));
  const gone = [...settings].filter(([key, values]) => !isKept(key, values)).map(([key]) => key);
  if (gone.length === 0) return [];
  const removed = gone.map((key) => ({ key, values: [] }));
  const next = await changedText(git, folder, text, removed, settings);
  return kept.replace(path, next, `these settings are not known to be harmless: ${gone.join(", ")}`);
}

/**
 * Hooks that settings say are in the working tree (`core.hooksPath=.husky`): in each linked tree git takes its own.
 * Takes out those that a command made and that differ from the main working tree.
 */
export function cleanHooksOfTrees(
  common: string,
  roots: readonly string[],
  kept: KeptAside,
  isNew: IsNew,
): TakenOut[] {
  const main = dirname(common);
  const ground = { home: homedir(), env: process.env, roots: [] };
  return worktreesOf(common).flatMap((tree) => {
    const link = backLink(tree);
    const top = link === undefined ? undefined : realRepositoryPath(dirname(link));
    if (top === undefined || !isInAny(top, roots)) return [];
    const { places } = findGitPrograms({ common, tops: [top] }, ground);
    const strange = places
      .filter((path) => path !== top && isWithin(path, top))
      .flatMap(filesIn)
      .filter((path) => isNew(path, top) && !isSame(path, join(main, relative(top, path))));
    return [...new Set(strange)].flatMap((path) =>
      kept.move(path, "git runs it by itself in that working tree"),
    );
  });
}

function filesIn(folder: string): string[] {
  const found: string[] = [];
  const waiting = [folder];
  while (waiting.length > 0 && found.length < MOST_HOOKS) {
    const at = waiting.shift()!;
    const stats = statsOf(at);
    if (stats !== undefined && !stats.isDirectory()) found.push(at);
    else for (const one of entriesIn(at)) (one.isDirectory() ? waiting : found).push(join(at, one.name));
  }
  return found;
}

function isSame(path: string, other: string): boolean {
  const [one, two] = [readWhole(path), readWhole(other)];
  return one !== undefined && two !== undefined && one.equals(two);
}
