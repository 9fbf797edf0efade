import type { FileIdentity } from "@haft/plugin-sdk";
import { posix } from "node:path";
import type { FileIdentities } from "../find-programs.ts";
import { contains } from "../paths.ts";
import type { GitContext } from "./git-context.ts";
import type { RepositoryPaths } from "./git-repository.ts";
import type { GitSetting } from "./git-settings.ts";
import type { GitUse } from "./git-use.ts";

interface GitHelper {
  why: string;
  files: FileIdentities;
  isOpen?: true;
}

/** The action in the last column runs the program. */
const DRIVERS: readonly (readonly [section: string, names: string, does: string])[] = [
  ["filter", "clean smudge process", "content"],
  ["diff", "command textconv external", "diff"],
  ["merge", "driver", "merge"],
  ["pull", "octopus twohead", "merge"],
  ["branch", "mergeoptions", "merge"],
  ["gc", "recentobjectshook", "objects"],
  ["core", "gitproxy", "exchange"],
  ["http", "savecookies cookiefile", "exchange"],
  ["trailer", "command cmd", "trailers"],
  ["format", "outputdirectory", "patches"],
  ["init", "templatedir", "template"],
  ["rebase", "instructionformat", "merge"],
  ["hook", "command", "anything"],
];

/** Finds programs that are not overridden, because the work needs them. */
export async function findDrivers({ context, call, settings, top }: GitUse): Promise<GitHelper | undefined> {
  const { all } = settings;
  const does = new Set([
    ...call.does,
    "anything",
    ...(call.does.has("diff") && mergesAnew(all) ? ["merge"] : []),
    ...(call.exchange === undefined ? [] : ["exchange"]),
    ...(call.hasTrailers ? ["trailers"] : []),
    ...(call.name === "format-patch" ? ["patches"] : []),
    ...(call.name === "init" || call.name === "clone" ? ["template"] : []),
  ]);
  for (const one of all) {
    const isRun = DRIVERS.some(
      ([part, names, when]) => part === one.section && names.split(" ").includes(one.name) && does.has(when),
    );
    if (!isRun || one.value === undefined || one.value === "") continue;
    if (!one.isFromRepository && !(await hasPathInside(context, one.value, top))) continue;
    return {
      why: `git ${call.name} can run the program of ${describeSource(one)}: ${one.value}`,
      files: await filesOf(context, one.value, top),
    };
  }
  return undefined;
}

function mergesAnew(all: readonly GitSetting[]): boolean {
  const setting = all.findLast(({ key }) => key === "log.diffmerges");
  return setting?.value?.startsWith("r") === true;
}

export async function hasPathInside(context: GitContext, value: string, folder: string): Promise<boolean> {
  for (const path of pathsIn(value, folder)) {
    if (await context.isInside(path)) return true;
  }
  return false;
}

export function isProgram(key: string): boolean {
  return /(?:command|editor|pager|helper|program|fsmonitor|askpass)$|^pager\./.test(key);
}

export function listProgramNames(all: readonly GitSetting[]): string[] {
  const names = all.flatMap(({ key, section, name, value, isFromRepository }) => {
    const isDriver = DRIVERS.some(([part, known]) => part === section && known.split(" ").includes(name));
    if (isFromRepository || value === undefined || !(isDriver || isProgram(key))) return [];
    const words = value.split(/[\s'"`;|&()<>!{}$]+/).filter((word) => /^[\w.][\w.+-]*$/.test(word));
    return section === "credential" ? words.flatMap((word) => [word, `git-credential-${word}`]) : words;
  });
  return [...new Set(names)];
}

function pathsIn(value: string, folder: string): string[] {
  return value
    .split(/[\s'"`;|&()<>=]+/)
    .filter((word) => word.includes("/") && !word.startsWith("~") && word.length <= 4096)
    .map((word) => posix.resolve(folder, word));
}

async function filesOf(context: GitContext, value: string, folder: string): Promise<FileIdentities> {
  const bare = value.split(/[\s'"`;|&()<>]+/).filter((word) => word !== "" && !word.includes("/"));
  const paths = [...pathsIn(value, folder), ...bare.map((word) => posix.resolve(folder, word))];
  const found = await context.inspect(paths);
  return new Map(paths.flatMap((path, at) => (isFile(found[at]) ? [[path, found[at]] as const] : [])));
}

function isFile(one: FileIdentity | undefined): boolean {
  return one !== undefined && one.isFolder !== true;
}

function describeSource({ key, file }: GitSetting): string {
  return file === undefined ? key : `${key} in ${file}`;
}

/** Finds hooks that would run. Missing hooks must stay missing. */
export async function findHooks(use: GitUse): Promise<GitHelper | undefined> {
  const { context, call, top } = use;
  if (call.hooks.length === 0) return undefined;
  const repository = call.name === "clone" ? undefined : use.repository;
  const setting = use.settings.all.findLast(
    ({ key, value }) => key === "core.hookspath" && value !== undefined,
  );
  // Home folders of other users, folders of git, and syntax of newer versions.
  if (setting?.value !== undefined && /^(?:~[^/]|[%:]\()/.test(setting.value))
    return {
      why: `git ${call.name} runs hooks of ${setting.value}, which cannot be followed`,
      files: new Map(),
      isOpen: true,
    };
  const folder = hooksFolder(setting?.value, repository, top, context.settings?.["HOME"]);
  if (folder === undefined) return undefined;
  const paths = call.hooks.map((hook) => posix.join(folder, hook));
  const found = await context.inspectAndGuard(paths);
  const there = paths.flatMap((path, at) =>
    found[at]?.isExecutable === true ? [[path, found[at]] as const] : [],
  );
  if (there.length > 0) {
    const shown = there.map(([path]) => path).join(", ");
    return {
      why: `git ${call.name} runs the hook${there.length > 1 ? "s" : ""} ${shown}`,
      files: new Map(there),
    };
  }
  const [real] = await context.inspectAndGuard([folder]);
  const isInTree = setting !== undefined && (await context.isInside(real?.realPath ?? folder, "rw"));
  const isBrought = call.does.has("files") && isInTree && !isGits(folder, repository);
  return isBrought
    ? { why: `git ${call.name} can bring hooks into ${folder} and run them`, files: new Map(), isOpen: true }
    : undefined;
}

function isGits(folder: string, repository: RepositoryPaths | undefined): boolean {
  return repository !== undefined && contains(repository.commonDir, folder);
}

function hooksFolder(
  value: string | undefined,
  repository: RepositoryPaths | undefined,
  top: string,
  home: string | undefined,
): string | undefined {
  if (value === undefined) return repository && `${repository.commonDir}/hooks`;
  if (value.startsWith("~/") && home !== undefined) return posix.join(home, value.slice(2));
  return posix.resolve(top, value);
}
