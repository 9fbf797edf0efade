import {
  type CommandTemplate,
  entersGitFolder,
  type GitCall,
  isGit,
  isNetworkAddress,
  type TemplateCommand,
  readGitCall,
} from "@haft/commands";
import type { FileIdentity } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { posix } from "node:path";
import type { FileIdentities, CommandPlanContext } from "../find-programs.ts";
import { hasInnerParentSegment } from "../paths.ts";
import { GitContext, resolveMissingPath } from "./git-context.ts";
import { findDrivers, findHooks, isProgram, hasPathInside, listProgramNames } from "./git-helpers.ts";
import { buildGitOverrides } from "./git-overrides.ts";
import { explainUncertainRead, explainSharedObjects } from "./git-reads.ts";
import { explainLocalAddress, explainLocalFetch, explainLocalExchange } from "./git-remotes.ts";
import { findRepository } from "./git-repository.ts";
import { type GitSettings, readGitSettings } from "./git-settings.ts";
import type { GitUse } from "./git-use.ts";

interface GitPlan {
  unclear?: string;
  /** A hook or a driver would run. */
  asks?: string;
  isOpen?: true;
  words: ReadonlyMap<number, readonly string[]>;
  leftOut: readonly string[];
  helpers: FileIdentities;
  guards: FileIdentities;
}

const STARTED = ["ssh", "gpg", "gpgsm", "ssh-keygen", "git", "git-lfs", "sh", "cat", "less", "vi", "editor"];
/** Programs that git's shell scripts start. */
const FOR_SCRIPTS =
  "basename cp cut envsubst expr gettext gettext.sh grep head ls mv rm sed sort tr uname wc".split(" ");
export const EMPTY_GIT_PLAN: GitPlan = {
  words: new Map(),
  leftOut: [],
  helpers: new Map(),
  guards: new Map(),
};

/** Starts nothing. */
export async function planGit(about: CommandPlanContext, outline: CommandTemplate): Promise<GitPlan> {
  if (outline.unclear !== undefined || !outline.commands.some(isGit)) return EMPTY_GIT_PLAN;
  const context = new GitContext(about);
  const taken = await whyPlanted(context, STARTED);
  if (taken !== undefined) return { ...EMPTY_GIT_PLAN, unclear: taken };
  const words = new Map<number, readonly string[]>();
  const leftOut: string[] = [];
  const helpers = new Map<string, FileIdentity | undefined>();
  let asks: string | undefined;
  let isOpen = false;
  // A redirect creates its file before git reads.
  let changedIn =
    outline.unordered !== undefined || outline.files.some(({ access }) => access === "write")
      ? outline.commands[0]?.cwd
      : undefined;
  for (const [at, command] of outline.commands.entries()) {
    const call = isGit(command) ? readGitCall(command.argv.slice(1)) : undefined;
    if (call === undefined) continue;
    const inspected = "unclear" in call ? call : await inspectCommand(context, command, call, changedIn);
    if ("unclear" in inspected)
      return { ...EMPTY_GIT_PLAN, unclear: inspected.unclear, guards: context.guards };
    for (const helper of inspected.helpers) {
      asks ??= helper.why;
      isOpen ||= helper.isOpen === true;
      for (const [path, file] of helper.files) helpers.set(path, file);
    }
    words.set(at, inspected.words);
    leftOut.push(...inspected.leftOut);
    if (!("unclear" in call) && (call.does.has("files") || call.makes.length > 0)) changedIn ??= command.cwd;
  }
  return withoutUndefined({
    words,
    leftOut: [...new Set(leftOut)],
    helpers,
    guards: context.guards,
    asks,
    isOpen: isOpen || undefined,
  });
}

async function whyPlanted(context: GitContext, names: readonly string[]): Promise<string | undefined> {
  const [first] = await context.findWritablePrograms(names);
  return (
    first &&
    `git can start another program than it means: ${first[0]} is found at ${first[1]?.path}, in the workspace`
  );
}

/** `changedIn`: folder with possible changes of an earlier command. */
async function inspectCommand(
  context: GitContext,
  command: TemplateCommand,
  call: GitCall,
  changedIn: string | undefined,
) {
  if (changedIn !== undefined && (call.folders.length > 0 || command.cwd !== changedIn))
    return { unclear: "git goes into another folder after files were changed, which can have become a link" };
  const start = call.folders.reduce((from, to) => (to === "" ? from : posix.resolve(from, to)), command.cwd);
  if (call.folders.some(hasInnerParentSegment))
    return { unclear: `git -C ${call.folders.join(" -C ")} goes through .. and back` };
  await context.prefetch(start, call.hooks);
  const [folder] = await context.inspectAndGuard([start]);
  if (folder?.isFolder !== true) return { unclear: `git runs in ${start}, which is not there yet` };
  const real = folder.realPath;
  if (!(await context.isInside(real))) return { unclear: `git runs in ${real}, outside of the workspace` };
  if (entersGitFolder(real)) return { unclear: `git runs in ${real}, among the files of a repository` };
  const repository = await findRepository(context, real);
  if (repository !== undefined && "unclear" in repository) return repository;
  const read = await readGitSettings(context, repository, command.path ?? "/usr/bin/git");
  if ("unclear" in read) return read;
  const top = repository?.top ?? real;
  const settings = await distrustInside(context, read, top);
  const isLate = changedIn !== undefined;
  const use: GitUse = {
    context,
    call,
    folder: real,
    repository,
    top,
    settings,
    isAfterChanges: isLate,
  };
  const scripts = /^(?:bisect |merge$|pull$)/.test(call.name) ? FOR_SCRIPTS : [];
  const unclear =
    (await whyPlanted(context, [...scripts, ...listProgramNames(read.all)])) ??
    (await whyOutside(use)) ??
    (await whyOthers(use)) ??
    (await whyMade(use)) ??
    (await explainUncertainRead(use)) ??
    (await explainSharedObjects(use)) ??
    whyAlias(use) ??
    whyOpen(use);
  if (unclear !== undefined) return { unclear };
  const [modules] =
    repository === undefined ? [] : await context.inspect([`${repository.commonDir}/modules`]);
  const deeper = modules === undefined ? undefined : whyDeeper(use);
  if (deeper !== undefined) return { unclear: deeper };
  const left = buildGitOverrides(settings, modules !== undefined);
  if ("unclear" in left) return left;
  const found = [await findHooks(use), await findDrivers(use)];
  return {
    words: left.words,
    leftOut: left.names,
    helpers: found.filter((one) => one !== undefined),
  };
}

/** Programs of the user inside the workspace count as the repository's. */
async function distrustInside(context: GitContext, settings: GitSettings, top: string): Promise<GitSettings> {
  const all = [];
  for (const one of settings.all) {
    const isFromRepository =
      one.isFromRepository ||
      (isProgram(one.key) && one.value !== undefined && (await hasPathInside(context, one.value, top)));
    all.push({ ...one, isFromRepository });
  }
  return { ...settings, all };
}

async function whyOutside(use: GitUse): Promise<string | undefined> {
  const { context, call, folder, repository } = use;
  if (repository === undefined) return undefined;
  const tree = use.settings.all.findLast(
    ({ key, value, isFromRepository }) => key === "core.worktree" && isFromRepository && value !== undefined,
  );
  const path = tree === undefined ? repository.top : posix.resolve(repository.gitDir, tree.value ?? "");
  const [found] = await context.inspectAndGuard([path]);
  const top = found?.realPath ?? path;
  if (tree !== undefined && !(await context.isInside(top)))
    return `the files of its repository are in ${top}, outside of the workspace`;
  if (call.does.has("files") && call.name !== "clone" && !(await context.isInside(top, "rw")))
    return `git ${call.name} changes files in ${top}, of which ${folder} is a part`;
  return undefined;
}

async function whyOthers({ context, call, settings, folder }: GitUse): Promise<string | undefined> {
  const { exchange, addresses } = call;
  const { all } = settings;
  const why = exchange === undefined ? undefined : explainLocalExchange(exchange, all);
  const other =
    why ??
    addresses.map((one) => explainLocalAddress(one, all)).find((one) => one !== undefined) ??
    explainLocalFetch(all);
  if (other !== undefined || exchange?.way !== "clone") return other;
  // Git treats an argument first as a folder, then as an address.
  const given = exchange.with === "all" ? [] : exchange.with.filter(isNetworkAddress);
  const paths = given.flatMap((one) =>
    ["", ".git", "/.git", ".bundle"].map((end) => posix.resolve(folder, one + end)),
  );
  const found = await context.inspectAndGuard(paths);
  const at = found.findIndex((one) => one !== undefined);
  return at < 0 ? undefined : `${paths[at]} is there, which git takes for the repository`;
}

async function whyMade({ context, call, folder, isAfterChanges }: GitUse): Promise<string | undefined> {
  for (const [at, path] of call.makes.entries()) {
    const what = `git ${call.name} ${path}`;
    if (path === "") return `${what} names nothing`;
    if (hasInnerParentSegment(path)) return `${what} goes through .. and back`;
    const target = posix.resolve(folder, path);
    const { real, found } = await resolveMissingPath(context, target);
    if (entersGitFolder(target) || entersGitFolder(real)) return `${what} enters the files of a repository`;
    if (!(await context.isInside(real, "rw"))) return `${what} leaves the workspace, for ${real}`;
    if (!(await context.isWritable(real))) return `${what} is not writable`;
    const isNamed = call.name.startsWith("worktree ") && call.name !== "worktree add" && at === 0;
    if (isNamed && found === undefined) return `${what} can be the name of another folder`;
    if (isAfterChanges) return `${what} comes after files were changed, and can lead elsewhere then`;
  }
  return undefined;
}

/** Newer versions of git allow aliases of some former built-in commands. */
function whyAlias({ call, settings }: GitUse): string | undefined {
  const [command = ""] = call.name.split(" ");
  const aliasSetting = settings.all.find(
    ({ section, subsection, name, isFromRepository }) =>
      isFromRepository && section === "alias" && (subsection ?? name) === command,
  );
  return (
    aliasSetting &&
    `git ${command} can be an alias, because of ${aliasSetting.key} in ${aliasSetting.file}: ${aliasSetting.value}`
  );
}

/** Some settings can change between check and use. */
function whyOpen({ call, settings, isAfterChanges }: GitUse): string | undefined {
  const [file] = settings.open;
  if (file === undefined || !(isAfterChanges || call.does.has("files"))) return undefined;
  return `git ${call.name} can change ${file}, which has settings for it`;
}

/** Submodules have unchecked hooks, filters and remotes. */
function whyDeeper({ call, settings }: GitUse): string | undefined {
  if (!call.does.has("files") && call.exchange === undefined) return undefined;
  const setting = settings.all.findLast(({ key }) => key === "submodule.recurse");
  if (setting === undefined || /^(?:false|no|off|0|)$/i.test(setting.value ?? "true")) return undefined;
  const where = setting.file === undefined ? "" : ` in ${setting.file}`;
  return `git ${call.name} recurses into submodules because of submodule.recurse${where}, with their settings and hooks`;
}
