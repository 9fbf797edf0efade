import { type HostProgram, isWithin } from "@haft/system";
import { findGitPrograms } from "@haft/workspace/internal/git-programs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { printRawPath } from "../../mounts/raw-path.ts";
import { findRepositories, type RepositorySearchResult, type SearchBounds } from "./find-repositories.ts";
import { type Repository, listWorktrees } from "./repository.ts";
import { readSettingsText } from "./settings-file.ts";
import { readRegularBytes } from "./write/overwrite-settings.ts";

/** Real absolute paths. */
export interface GitMounts {
  /** Outside the roots, if a root is a linked working tree or a submodule. */
  writable: string[];
  pinned: string[];
  readOnly: string[];
  /** Absolute globs of files of hook managers, treated as settings. */
  patterns: string[];
  repositories: Repository[];
  unsearched: string[];
  notices: string[];
}

/** @param git `undefined` if missing: all of git's files are then protected */
export async function findGitMounts(
  roots: readonly string[],
  git: HostProgram | undefined,
  bounds: SearchBounds = {},
): Promise<GitMounts> {
  const { unsearched, ...found } = findRepositories(roots, bounds);
  const mounts = await gitMountsFromRepositories(found, roots, git);
  if (unsearched.length > 0) mounts.notices.push(formatUnsearchedNotice(unsearched));
  return { ...mounts, unsearched };
}

export async function gitMountsFromRepositories(
  { repositories, closed }: Pick<RepositorySearchResult, "repositories" | "closed">,
  roots: readonly string[],
  git: HostProgram | undefined,
): Promise<GitMounts> {
  const mounts: GitMounts = {
    writable: [],
    pinned: [],
    readOnly: [],
    patterns: [],
    repositories: [],
    unsearched: [],
    notices: [],
  };
  const close = (path: string, why: string): void => {
    mounts.readOnly.push(path);
    mounts.notices.push(`Commands cannot change ${printRawPath(path)}: ${why}.`);
  };
  for (const { path, why } of closed) close(path, why);
  const parts = await Promise.all(
    repositories.map(async (one) =>
      git === undefined
        ? {
            held: [one.common, ...one.gitFiles],
            patterns: [],
            closed: "git is missing, which is needed to read its settings",
          }
        : heldParts(one, git, roots),
    ),
  );
  repositories.forEach((one, at) => {
    const found = parts[at]!;
    mounts.readOnly.push(...found.held);
    mounts.patterns.push(...found.patterns);
    if (found.closed !== undefined) {
      mounts.notices.push(`Commands cannot change ${one.common}: ${found.closed}.`);
      return;
    }
    mounts.pinned.push(one.common);
    mounts.repositories.push(one);
    const isInside = roots.some((root) => isWithin(one.common, root));
    const isCovered = mounts.writable.some((folder) => isWithin(one.common, folder));
    if (!isInside && !isCovered) mounts.writable.push(one.common);
  });
  mounts.readOnly = [...new Set(mounts.readOnly)];
  mounts.patterns = [...new Set(mounts.patterns)];
  return mounts;
}

export function getSettingsPath({ common }: Repository): string {
  return join(common, "config");
}

const NAMED = 3;

export function formatUnsearchedNotice(folders: readonly string[]): string {
  const names = folders.slice(0, NAMED).map(printRawPath).join(", ");
  const more = folders.length > NAMED ? ` and ${folders.length - NAMED} more folders` : "";
  return `Read-only for commands until they are searched for repositories and settings that start programs: ${names}${more}. The search continues.`;
}

interface HeldParts {
  held: string[];
  patterns: string[];
  /** Why its settings cannot be copied; all of it is then protected. */
  closed?: string;
}

async function heldParts(
  { common, top, gitFiles }: Repository,
  git: HostProgram,
  roots: readonly string[],
): Promise<HeldParts> {
  const file = join(common, "config");
  const text = readRegularBytes(file);
  if (text === undefined)
    return { held: [common, ...gitFiles], patterns: [], closed: "its settings are not a file" };
  const settings = await readSettingsText(git, text);
  if (settings === undefined)
    return { held: [common, ...gitFiles], patterns: [], closed: "its settings cannot be read" };
  const trees = listWorktrees(common);
  const gitPaths = [
    join(common, "hooks"),
    join(common, "config.worktree"),
    ...trees.flatMap((tree) => [join(tree, "commondir"), join(tree, "config.worktree")]),
  ];
  const tops = [...new Set([top ?? common, ...gitFiles.map((path) => dirname(path))])];
  const programs = findGitPrograms({ common, tops }, { home: homedir(), env: process.env, roots });
  const isInside = (path: string) => roots.some((root) => path !== root && isWithin(path, root));
  const started = programs.paths.filter((path) => isInside(path) && !isWithin(path, common));
  return { held: [...gitPaths, ...gitFiles, ...started], patterns: [...programs.patterns] };
}
