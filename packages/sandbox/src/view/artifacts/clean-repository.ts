import { type HostProgram, isWithin } from "@haft/system";
import { findGitPrograms } from "@haft/workspace/internal/git-programs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { tryReadFolder } from "../../mounts/read-folder.ts";
import { entryExists, tryStatEntry } from "../../mounts/stats.ts";
import { findHarmlessKey, isDetectedSetting, type SettingsContext } from "../git/harmless-settings.ts";
import { readBackLink, realRepositoryPath, listWorktrees } from "../git/repository.ts";
import { applyChangesToText, readSettingsText } from "../git/settings-file.ts";
import { readRegularBytes } from "../git/write/overwrite-settings.ts";
import type { Quarantine, QuarantineResult } from "../quarantine/quarantine.ts";
import { isInAny } from "./links.ts";

export interface CleaningContext {
  git: HostProgram | undefined;
  quarantine: Quarantine;
  folder: string;
}

const FORMAT =
  /^(?:core\.(?:repositoryformatversion|bare)|extensions\.(?:objectformat|compatobjectformat|refstorage|partialclone|preciousobjects|noop|noop-v1))$/;
const PROMISOR = /^remote\..+\.(?:promisor|partialclonefilter)$/s;
const SPARSE = /^(?:core\.sparsecheckout(?:cone)?|index\.sparse)$/;
const LEADS_ELSEWHERE = "git would use settings and hooks of another folder";
const MOST_HOOKS = 500;

/** True if a command made or moved the path, or a folder above up to `below`. */
export type IsNew = (path: string, below?: string) => boolean;

/** Removes paths that were missing, so that no mount could protect them. */
export function cleanHooksAndLinks(
  common: string,
  { quarantine }: CleaningContext,
  isNew: IsNew,
): QuarantineResult[] {
  const out: QuarantineResult[] = [];
  const commondir = join(common, "commondir");
  if (entryExists(commondir) && isNew(commondir)) out.push(...quarantine.move(commondir, LEADS_ELSEWHERE));
  const hooks = join(common, "hooks");
  if (tryStatEntry(hooks)?.isSymbolicLink() === true && isNew(hooks))
    out.push(...quarantine.move(hooks, "git would run its content"));
  else {
    for (const { name } of tryReadFolder(hooks)) {
      const path = join(hooks, name);
      if (!name.endsWith(".sample") && isNew(path, common))
        out.push(...quarantine.move(path, "git runs it automatically"));
    }
  }
  for (const tree of listWorktrees(common)) {
    const path = join(tree, "commondir");
    if (!entryExists(path) || !isNew(path, common) || readRegularBytes(path)?.toString() === "../..\n")
      continue;
    out.push(...quarantine.replace(path, Buffer.from("../..\n"), LEADS_ELSEWHERE));
  }
  return out;
}

export async function cleanWorktreeSettings(
  common: string,
  { git, quarantine }: CleaningContext,
  isNew: IsNew,
): Promise<QuarantineResult[]> {
  const out: QuarantineResult[] = [];
  for (const tree of [common, ...listWorktrees(common)]) {
    const path = join(tree, "config.worktree");
    if (!entryExists(path) || !isNew(path, common)) continue;
    const text = readRegularBytes(path);
    const settings = text && git && (await readSettingsText(git, text));
    if (settings !== undefined && [...settings.keys()].every((key) => SPARSE.test(key))) continue;
    out.push(...quarantine.move(path, "it can name programs that git starts"));
  }
  return out;
}

export async function cleanNewRepository(
  common: string,
  context: SettingsContext,
  cleaning: CleaningContext,
): Promise<QuarantineResult[]> {
  const always = (): boolean => true;
  return [
    ...cleanHooksAndLinks(common, cleaning, always),
    ...(await cleanWorktreeSettings(common, cleaning, always)),
    ...(await cleanSettings(common, context, cleaning)),
  ];
}

export async function cleanSettings(
  common: string,
  context: SettingsContext,
  { git, folder, quarantine }: CleaningContext,
): Promise<QuarantineResult[]> {
  const path = join(common, "config");
  const text = readRegularBytes(path);
  if (text === undefined && !entryExists(path)) return [];
  const settings = text && git && (await readSettingsText(git, text));
  if (git === undefined || text === undefined || settings === undefined)
    return quarantine.move(path, "its settings cannot be read, so they could start programs");
  const isHarmless = (key: string, values: readonly string[]): boolean =>
    findHarmlessKey(key, values, context) !== undefined ||
    isDetectedSetting(key) ||
    FORMAT.test(key) ||
    PROMISOR.test(key) ||
    (key === "core.worktree" && values.every((value) => isInAny(resolve(common, value), context.roots)));
  const harmful = [...settings].filter(([key, values]) => !isHarmless(key, values)).map(([key]) => key);
  if (harmful.length === 0) return [];
  const removed = harmful.map((key) => ({ key, values: [] }));
  const next = await applyChangesToText(git, folder, text, removed, settings);
  return quarantine.replace(path, next, `these settings are not known to be harmless: ${harmful.join(", ")}`);
}

/** Removes differing hooks of a command in working trees (`core.hooksPath=.husky`): git uses those of each tree. */
export function cleanWorktreeHooks(
  common: string,
  roots: readonly string[],
  quarantine: Quarantine,
  isNew: IsNew,
): QuarantineResult[] {
  const main = dirname(common);
  const environment = { home: homedir(), env: process.env, roots: [] };
  return listWorktrees(common).flatMap((tree) => {
    const link = readBackLink(tree);
    const top = link === undefined ? undefined : realRepositoryPath(dirname(link));
    if (top === undefined || !isInAny(top, roots)) return [];
    const { paths } = findGitPrograms({ common, tops: [top] }, environment);
    const strange = paths
      .filter((path) => path !== top && isWithin(path, top))
      .flatMap(filesIn)
      .filter((path) => isNew(path, top) && !isSame(path, join(main, relative(top, path))));
    return [...new Set(strange)].flatMap((path) =>
      quarantine.move(path, "git runs it automatically in that working tree"),
    );
  });
}

function filesIn(folder: string): string[] {
  const found: string[] = [];
  const waiting = [folder];
  while (waiting.length > 0 && found.length < MOST_HOOKS) {
    const at = waiting.shift()!;
    const stats = tryStatEntry(at);
    if (stats !== undefined && !stats.isDirectory()) found.push(at);
    else for (const one of tryReadFolder(at)) (one.isDirectory() ? waiting : found).push(join(at, one.name));
  }
  return found;
}

function isSame(path: string, other: string): boolean {
  const [one, two] = [readRegularBytes(path), readRegularBytes(other)];
  return one !== undefined && two !== undefined && one.equals(two);
}
