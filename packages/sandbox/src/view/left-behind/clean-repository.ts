import type { HostProgram } from "@haft/workspace/internal/system";
import { attempt, isWithin } from "@haft/workspace/internal/system";
import { lstatSync } from "node:fs";
import { join, resolve } from "node:path";
import { nativePath } from "../../mounts/raw-path.ts";
import { entriesOf } from "../../mounts/read-folder.ts";
import type { SettingsGround } from "../git/harmless.ts";
import { harmlessKey, isFoundOut } from "../git/harmless.ts";
import { isThere, worktreesOf } from "../git/repository.ts";
import { changedText, readText } from "../git/settings-file.ts";
import { readWhole } from "../git/write/write-in-place.ts";
import type { KeptAside } from "../quarantine/kept-aside.ts";
import type { Kept } from "../quarantine/kept-list.ts";

export interface TakenOut extends Kept {
  why: string;
  rest?: string;
}

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

export type IsNew = (path: string, below?: string) => boolean;

/** What of a known repository could not be held by a mount, as it was not there, and is now. */
export function cleanParts(common: string, { kept }: Cleaning, isNew: IsNew): TakenOut[] {
  const out: TakenOut[] = [];
  const move = (path: string, why: string): void => {
    const moved = kept.move(path);
    if (moved !== undefined) out.push({ ...moved, why });
  };
  const commondir = join(common, "commondir");
  if (isThere(commondir) && isNew(commondir))
    move(commondir, "git would take settings and hooks from elsewhere");
  const hooks = join(common, "hooks");
  if (isLink(hooks) && isNew(hooks)) move(hooks, "git would run what is there");
  else {
    for (const name of (attempt(() => entriesOf(hooks)) ?? []).map((one) => one.name)) {
      const path = join(hooks, name);
      if (!name.endsWith(".sample") && isNew(path, common)) move(path, "git runs it by itself");
    }
  }
  for (const tree of worktreesOf(common)) {
    const path = join(tree, "commondir");
    if (!isThere(path) || !isNew(path, common) || readWhole(path)?.toString() === "../..\n") continue;
    const moved = kept.replace(path, Buffer.from("../..\n"));
    if (moved !== undefined) out.push({ ...moved, why: "git would take settings and hooks from elsewhere" });
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
    if (text !== undefined && git !== undefined) {
      const settings = await readText(git, text);
      if (settings !== undefined && [...settings.keys()].every((key) => SPARSE.test(key))) continue;
    }
    const moved = kept.move(path);
    if (moved !== undefined) out.push({ ...moved, why: "it can name programs that git starts" });
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
  cleaning: Cleaning,
): Promise<TakenOut[]> {
  const out: TakenOut[] = [];
  const path = join(common, "config");
  const text = readWhole(path);
  if (text === undefined && !isThere(path)) return out;
  const { git, folder } = cleaning;
  const settings = git === undefined || text === undefined ? undefined : await readText(git, text);
  if (git === undefined || text === undefined || settings === undefined) {
    const moved = cleaning.kept.move(path);
    const why = "its settings cannot be read, so nobody knows what they start";
    return moved === undefined ? out : [...out, { ...moved, why }];
  }
  const isKept = (key: string, values: readonly string[]): boolean =>
    harmlessKey(key, values, ground) !== undefined ||
    isFoundOut(key) ||
    FORMAT.test(key) ||
    PROMISOR.test(key) ||
    (key === "core.worktree" && values.every((value) => leadsInside(resolve(common, value), ground.roots)));
  const gone = [...settings].filter(([key, values]) => !isKept(key, values)).map(([key]) => key);
  if (gone.length === 0) return out;
  const removed = gone.map((key) => ({ key, values: [] }));
  const moved = cleaning.kept.replace(path, await changedText(git, folder, text, removed, settings));
  if (moved === undefined) return out;
  const why = `these settings are not known to be harmless: ${gone.join(", ")}; ${moved.rest}`;
  return [...out, { ...moved, why }];
}

function leadsInside(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => isWithin(path, root));
}

function isLink(path: string): boolean {
  return attempt(() => lstatSync(nativePath(path)).isSymbolicLink()) === true;
}
