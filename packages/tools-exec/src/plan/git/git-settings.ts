import { posix } from "node:path";
import { findCondition } from "./git-condition.ts";
import { parseGitKey, readGitConfig } from "./git-config.ts";
import type { GitContext } from "./git-context.ts";
import type { RepositoryPaths } from "./git-repository.ts";

type KeyParts = ReturnType<typeof parseGitKey>;

export interface GitSetting extends KeyParts {
  key: string;
  value: string | undefined;
  /** The setting is in the repository, or in a file that tools can write. */
  isFromRepository: boolean;
  file?: string;
}

export interface GitSettings {
  /** In the order of git: later settings take precedence. */
  all: readonly GitSetting[];
  open: readonly string[];
  isComplete: boolean;
}

const MAX_DEPTH = 10;
const MAX_FILES = 200;

/** Covers system, user, repository and worktree, with includes. Starts nothing. */
export async function readGitSettings(
  context: GitContext,
  repository: RepositoryPaths | undefined,
  git: string,
): Promise<GitSettings | { unclear: string }> {
  await context.inspect(["/"]);
  const variables = context.settings;
  const home = variables?.["HOME"];
  const found: { all: GitSetting[]; open: string[]; unclear?: string } = { all: [], open: [] };
  const { all, open } = found;
  let files = 0;
  const read = async (path: string, isRepository: boolean, depth = 0): Promise<void> => {
    if (found.unclear !== undefined) return;
    const [file] = await context.inspectAndGuard([path]);
    if (file === undefined || file.isFolder === true) return;
    files += 1;
    const entries = file.content === undefined ? undefined : readGitConfig(file.content);
    if (entries === undefined || depth > MAX_DEPTH || files > MAX_FILES) {
      found.unclear = `the settings in ${path} cannot be read for certain`;
      return;
    }
    const isOpen = await context.isChangeable(file.realPath);
    if (isOpen) open.push(path);
    for (const { key, value } of entries) {
      const setting = {
        ...parseGitKey(key),
        key,
        value,
        isFromRepository: isRepository || isOpen,
        file: path,
      };
      all.push(setting);
      await include(setting, depth);
    }
  };
  const include = async (
    { key, value, isFromRepository, file: from }: SettingInFile,
    depth: number,
  ): Promise<void> => {
    const condition = /^includeif\.([^]*)\.path$/.exec(key)?.[1];
    if ((key !== "include.path" && condition === undefined) || value === undefined || value === "") return;
    const about = { gitDir: repository?.gitDir, home, from };
    // A link can make the condition true, so includes of the repository are always read.
    if (condition !== undefined && !isFromRepository && findCondition(condition, about) === "false") return;
    const path = await locate(context, home, value, from);
    if (path === undefined) found.unclear ??= `${from} includes ${value}, which cannot be followed`;
    else await read(path, isFromRepository, depth + 1);
  };
  const users = usersFiles(variables ?? {}, git);
  await context.inspect(users);
  for (const file of users) await read(file, false);
  if (repository !== undefined) {
    await read(`${repository.commonDir}/config`, true);
    const worktreeSetting = all.findLast(({ key }) => key === "extensions.worktreeconfig");
    if (worktreeSetting !== undefined) await read(`${repository.gitDir}/config.worktree`, true);
    else await context.inspectAndGuard([`${repository.gitDir}/config.worktree`]);
  }
  if (found.unclear !== undefined) return { unclear: found.unclear };
  return { all: [...all, ...fromVariables(variables ?? {})], open, isComplete: variables !== undefined };
}

type SettingInFile = GitSetting & { file: string };

function usersFiles(variables: Readonly<Record<string, string>>, git: string): string[] {
  const { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM } = variables;
  const prefix = posix.dirname(posix.dirname(git));
  const system = [
    ...(prefix === "/" || prefix === "/usr" ? [] : [`${prefix}/etc/gitconfig`]),
    "/etc/gitconfig",
  ];
  const xdg = XDG_CONFIG_HOME || (HOME === undefined ? undefined : `${HOME}/.config`);
  const user = [
    ...(xdg === undefined ? [] : [`${xdg}/git/config`]),
    ...(HOME === undefined ? [] : [`${HOME}/.gitconfig`]),
  ];
  const isWithout = /^(?:1|true|yes|on)$/i.test(GIT_CONFIG_NOSYSTEM ?? "");
  return [
    ...(isWithout ? [] : GIT_CONFIG_SYSTEM === undefined ? system : [GIT_CONFIG_SYSTEM]),
    ...(GIT_CONFIG_GLOBAL === undefined ? user : [GIT_CONFIG_GLOBAL]),
  ].filter((path) => path.startsWith("/"));
}

function fromVariables(variables: Readonly<Record<string, string>>): GitSetting[] {
  const count = Number(variables["GIT_CONFIG_COUNT"] ?? 0);
  return Array.from({ length: Number.isInteger(count) && count > 0 ? Math.min(count, 1000) : 0 }, (_, at) => {
    const key = lowered(variables[`GIT_CONFIG_KEY_${at}`] ?? "");
    return { ...parseGitKey(key), key, value: variables[`GIT_CONFIG_VALUE_${at}`], isFromRepository: false };
  });
}

/** The part between the first and the last dot is case-sensitive. */
function lowered(key: string): string {
  const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
  return key.slice(0, first).toLowerCase() + key.slice(first, last) + key.slice(last).toLowerCase();
}

async function locate(
  context: GitContext,
  home: string | undefined,
  value: string,
  from: string,
): Promise<string | undefined> {
  // The real parent of a linked folder differs from the text.
  if (/[^./][^]*\/\.\.(?:\/|$)/.test(value) || value.includes("\0") || value.startsWith("%("))
    return undefined;
  if (value.startsWith("/")) return value;
  if (value.startsWith("~/")) return home === undefined ? undefined : `${home}/${value.slice(2)}`;
  if (value.startsWith("~")) return undefined;
  const [folder] = await context.inspectAndGuard([posix.dirname(from)]);
  return folder === undefined ? undefined : posix.resolve(folder.realPath, value);
}
