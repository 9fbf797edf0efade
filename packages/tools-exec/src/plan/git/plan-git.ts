import {
  type CommandOutline,
  entersGitFolder,
  type GitCall,
  isGit,
  isNetworkAddress,
  type OutlinedCommand,
  readGitCall,
} from "@haft/commands";
import { type FileIdentity, withoutUndefined } from "@haft/plugin-sdk";
import { posix } from "node:path";
import type { FileIdentities, PlanGround } from "../look-up.ts";
import { climbsBack } from "../paths.ts";
import { GitGround, whereItLeads } from "./git-ground.ts";
import { findDrivers, findHooks, isProgram, leadsInside, programsByName } from "./git-helpers.ts";
import { leaveOut } from "./git-left-out.ts";
import { whyRead, whyShared } from "./git-reads.ts";
import { whyAddressHere, whyFetchedHere, whyNotElsewhere } from "./git-remotes.ts";
import { findRepository } from "./git-repository.ts";
import { type ReadSettings, readGitSettings } from "./git-settings.ts";
import type { GitUse } from "./git-use.ts";

interface GitPlan {
  unclear?: string;
  /** Why somebody is asked although it is: a hook or a driver would run. */
  asks?: string;
  isOpen?: true;
  /** Words for git itself, by the place of its command in the line. */
  words: ReadonlyMap<number, readonly string[]>;
  leftOut: readonly string[];
  helpers: FileIdentities;
  guards: FileIdentities;
}

/** What git starts by name, wherever it is found. */
const STARTED = ["ssh", "gpg", "gpgsm", "ssh-keygen", "git", "git-lfs", "sh", "cat", "less", "vi", "editor"];
/** What its commands start that are scripts of the shell. */
const FOR_SCRIPTS =
  "basename cp cut envsubst expr gettext gettext.sh grep head ls mv rm sed sort tr uname wc".split(" ");
export const NO_GIT: GitPlan = { words: new Map(), leftOut: [], helpers: new Map(), guards: new Map() };

/** Looks into the repositories that the git commands of a clear line would use. Starts nothing. */
export async function planGit(about: PlanGround, outline: CommandOutline): Promise<GitPlan> {
  if (outline.unclear !== undefined || !outline.commands.some(isGit)) return NO_GIT;
  const ground = new GitGround(about);
  const taken = await whyPlanted(ground, STARTED);
  if (taken !== undefined) return { ...NO_GIT, unclear: taken };
  const words = new Map<number, readonly string[]>();
  const leftOut: string[] = [];
  const helpers = new Map<string, FileIdentity | undefined>();
  let asks: string | undefined;
  let isOpen = false;
  // What a redirect writes is there before git looks.
  let changedIn = outline.files.some(({ access }) => access === "write")
    ? outline.commands[0]?.cwd
    : undefined;
  for (const [at, command] of outline.commands.entries()) {
    const call = isGit(command) ? readGitCall(command.argv.slice(1)) : undefined;
    if (call === undefined) continue;
    const looked = "unclear" in call ? call : await lookInto(ground, command, call, changedIn);
    if ("unclear" in looked) return { ...NO_GIT, unclear: looked.unclear, guards: ground.guards };
    for (const helper of looked.helpers) {
      asks ??= helper.why;
      isOpen ||= helper.isOpen === true;
      for (const [path, file] of helper.files) helpers.set(path, file);
    }
    words.set(at, looked.words);
    leftOut.push(...looked.leftOut);
    if (!("unclear" in call) && (call.does.has("files") || call.makes.length > 0)) changedIn ??= command.cwd;
  }
  return withoutUndefined({
    words,
    leftOut: [...new Set(leftOut)],
    helpers,
    guards: ground.guards,
    asks,
    isOpen: isOpen || undefined,
  });
}

/** Whether a program that git or the user means by its name is one of the workspace, where anybody can put one. */
async function whyPlanted(ground: GitGround, names: readonly string[]): Promise<string | undefined> {
  const [first] = await ground.foundInside(names);
  return (
    first &&
    `git can start another program than it means: ${first[0]} is found at ${first[1]?.path}, in the workspace`
  );
}

/** `changedIn`: an earlier command of the line may have changed files, and ran there. */
async function lookInto(
  ground: GitGround,
  command: OutlinedCommand,
  call: GitCall,
  changedIn: string | undefined,
) {
  if (changedIn !== undefined && (call.folders.length > 0 || command.cwd !== changedIn))
    return { unclear: "git goes into another folder after files were changed, which can have become a link" };
  const start = call.folders.reduce((from, to) => (to === "" ? from : posix.resolve(from, to)), command.cwd);
  if (call.folders.some(climbsBack))
    return { unclear: `git -C ${call.folders.join(" -C ")} goes through .. and back` };
  await ground.foresee(start, call.hooks);
  const [folder] = await ground.look([start]);
  if (folder?.isFolder !== true) return { unclear: `git runs in ${start}, which is not there yet` };
  const real = folder.realPath;
  if (!(await ground.isInside(real))) return { unclear: `git runs in ${real}, outside of the workspace` };
  if (entersGitFolder(real)) return { unclear: `git runs in ${real}, among the files of a repository` };
  const repository = await findRepository(ground, real);
  if (repository !== undefined && "unclear" in repository) return repository;
  const read = await readGitSettings(ground, repository, command.path ?? "/usr/bin/git");
  if ("unclear" in read) return read;
  const top = repository?.top ?? real;
  const settings = await distrustInside(ground, read, top);
  const isLate = changedIn !== undefined;
  const use: GitUse = { ground, call, folder: real, repository, top, settings, isLate };
  const scripts = /^(?:bisect |merge$|pull$)/.test(call.name) ? FOR_SCRIPTS : [];
  const unclear =
    (await whyPlanted(ground, [...scripts, ...programsByName(read.all)])) ??
    (await whyOutside(use)) ??
    (await whyOthers(use)) ??
    (await whyMade(use)) ??
    (await whyRead(use)) ??
    (await whyShared(use)) ??
    whyAlias(use) ??
    whyOpen(use);
  if (unclear !== undefined) return { unclear };
  const [modules] = repository === undefined ? [] : await ground.glance([`${repository.commonDir}/modules`]);
  const deeper = modules === undefined ? undefined : whyDeeper(use);
  if (deeper !== undefined) return { unclear: deeper };
  const left = leaveOut(settings, modules !== undefined);
  if ("unclear" in left) return left;
  const found = [await findHooks(use), await findDrivers(use)];
  return {
    words: left.words,
    leftOut: left.names,
    helpers: found.filter((one) => one !== undefined),
  };
}

/** Programs that the user named by a path that leads into the workspace are the workspace's. */
async function distrustInside(ground: GitGround, settings: ReadSettings, top: string): Promise<ReadSettings> {
  const all = [];
  for (const one of settings.all) {
    const isOwn =
      one.isOwn ||
      (isProgram(one.key) && one.value !== undefined && (await leadsInside(ground, one.value, top)));
    all.push({ ...one, isOwn });
  }
  return { ...settings, all };
}

async function whyOutside(use: GitUse): Promise<string | undefined> {
  const { ground, call, folder, repository } = use;
  if (repository === undefined) return undefined;
  const tree = use.settings.all.findLast(
    ({ key, value, isOwn }) => key === "core.worktree" && isOwn && value !== undefined,
  );
  const path = tree === undefined ? repository.top : posix.resolve(repository.gitDir, tree.value ?? "");
  const [found] = await ground.look([path]);
  const top = found?.realPath ?? path;
  if (tree !== undefined && !(await ground.isInside(top)))
    return `the files of its repository are in ${top}, outside of the workspace`;
  if (call.does.has("files") && call.name !== "clone" && !(await ground.isInside(top, "rw")))
    return `git ${call.name} changes files in ${top}, of which ${folder} is a part`;
  return undefined;
}

async function whyOthers({ ground, call, settings, folder }: GitUse): Promise<string | undefined> {
  const { exchange, addresses } = call;
  const { all } = settings;
  const why = exchange === undefined ? undefined : whyNotElsewhere(exchange, all);
  const other =
    why ??
    addresses.map((one) => whyAddressHere(one, all)).find((one) => one !== undefined) ??
    whyFetchedHere(all);
  if (other !== undefined || exchange?.way !== "clone") return other;
  // What it is given is a folder first, whatever it looks like, and an address second.
  const given = exchange.with === "all" ? [] : exchange.with.filter(isNetworkAddress);
  const paths = given.flatMap((one) =>
    ["", ".git", "/.git", ".bundle"].map((end) => posix.resolve(folder, one + end)),
  );
  const found = await ground.look(paths);
  const at = found.findIndex((one) => one !== undefined);
  return at < 0 ? undefined : `${paths[at]} is there, which git takes for the repository`;
}

async function whyMade({ ground, call, folder, isLate }: GitUse): Promise<string | undefined> {
  for (const [at, path] of call.makes.entries()) {
    const what = `git ${call.name} ${path}`;
    if (path === "") return `${what} names nothing`;
    if (climbsBack(path)) return `${what} goes through .. and back`;
    const target = posix.resolve(folder, path);
    const { real, found } = await whereItLeads(ground, target);
    if (entersGitFolder(target) || entersGitFolder(real)) return `${what} enters the files of a repository`;
    if (!(await ground.isInside(real, "rw"))) return `${what} leaves the workspace, for ${real}`;
    if (!(await ground.isOpen(real))) return `${what} is where nothing may be written`;
    const isNamed = call.name.startsWith("worktree ") && call.name !== "worktree add" && at === 0;
    if (isNamed && found === undefined) return `${what} can be the name of another folder`;
    if (isLate) return `${what} comes after files were changed, and can lead elsewhere then`;
  }
  return undefined;
}

/** Newer versions let an alias stand for some of the commands that older ones have themselves. */
function whyAlias({ call, settings }: GitUse): string | undefined {
  const [command = ""] = call.name.split(" ");
  const own = settings.all.find(
    ({ section, subsection, name, isOwn }) =>
      isOwn && section === "alias" && (subsection ?? name) === command,
  );
  return own && `git ${command} can be an alias, for what ${own.key} in ${own.file} says: ${own.value}`;
}

/** Settings that can change between the look at them and their use. */
function whyOpen({ call, settings, isLate }: GitUse): string | undefined {
  const [file] = settings.open;
  if (file === undefined || !(isLate || call.does.has("files"))) return undefined;
  return `git ${call.name} can change ${file}, which has settings for it`;
}

/** Submodules have hooks, filters and remotes of their own, which are not looked at. */
function whyDeeper({ call, settings }: GitUse): string | undefined {
  if (!call.does.has("files") && call.exchange === undefined) return undefined;
  const setting = settings.all.findLast(({ key }) => key === "submodule.recurse");
  if (setting === undefined || /^(?:false|no|off|0|)$/i.test(setting.value ?? "true")) return undefined;
  const where = setting.file === undefined ? "" : ` in ${setting.file}`;
  return `git ${call.name} goes on in submodules, as submodule.recurse${where} says, with what is set and hooked there`;
}
