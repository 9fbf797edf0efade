import type { PlannedCommand } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import { tableNames } from "../words/names.ts";
import { hasLetter, type ParsedOption, type ReadOptions, readOptions } from "../words/options.ts";
import { findGitCommand } from "./commands/find-command.ts";
import type { GitCommand } from "./commands/git-command.ts";
import { LAUNCHING_OPTIONS } from "./commands/read-only-commands.ts";
import { isNetworkAddress } from "./git-address.ts";

/** Describes the effects of a git command according to its words. Other effects depend on the repository. */
export interface GitCall {
  /** Names the command: `log`, `worktree add`. */
  name: string;
  /** Lists the folders of `-C`, each relative to the previous. */
  folders: readonly string[];
  /** Lists effects; see {@link GitCommand.does}. */
  does: ReadonlySet<string>;
  /** Names the hooks that it would run. */
  hooks: readonly string[];
  /** Lists the paths it would create, move or replace. */
  makes: readonly string[];
  /** Lists the files it would read, except tracked files. */
  reads: readonly string[];
  /** Describes the exchange with other repositories. */
  exchange?: GitExchange;
  /** Lists the addresses it stores for later. */
  addresses: readonly string[];
  /** States whether an option applies the settings for trailers. */
  hasTrailers: boolean;
}

/** Describes an exchange with other repositories. */
export interface GitExchange {
  /** `fetch` receives, `push` sends, `clone` copies a repository. */
  way: "fetch" | "push" | "clone";
  /** Lists names or addresses. Empty: the repositories of the settings. `all`: every remote. */
  with: readonly string[] | "all";
}

const GLOBAL = /^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs|--version|-v)$/;
/** These set appearance and author, or disable pager and signature. */
const HARMLESS_SETTING =
  /^(?:color\.[a-z]+(?:\.[a-z]+)?|advice\.[a-z]+|core\.(?:quotepath|abbrev)|log\.(?:date|decorate|abbrevcommit)|diff\.(?:renames|context|algorithm|colormoved|noprefix)|user\.(?:name|email)|init\.defaultbranch|column\.ui|status\.(?:short|branch|showuntrackedfiles|relativepaths)|merge\.conflictstyle)=|^core\.pager=(?:cat)?$|^(?:commit|tag)\.gpgsign=false$/i;
/** Settings that `git config --get` may show, because they contain no secrets. */
const SHOWN_SETTING =
  /^(?:user|branch|core|init|pull|push|merge|rebase|diff|color|log|status|fetch|commit)\.[\w./-]+$/i;
/** Outside of the repository, git compares any two paths. */
const OUTSIDE = /^\/|(?:^|\/)\.\.(?:\/|$)/;
/** Matches the folder of a repository, including its names on file systems that ignore case or of other systems. */
const GIT_FOLDER = /(?:^|\/)(?:\.git|git~\d+)[ .]*(?::[^/]*)?(?=\/|$)/i;
/** Letters with which read-only commands start programs or write. */
const LETTERS: Readonly<Record<string, string>> = {
  // Messages show the content of any file with patterns, grafts or exclusions.
  grep: "Of",
  blame: "S",
  annotate: "S",
  "ls-files": "X",
  status: "v",
};
/** An order from any file, also at the end of a cluster, but not after a letter with a value. */
const ORDER = /^-(?![SGLnUlCMB])[A-Za-z]*O/;
/** Long options that do the same, merge again, or show differences like submodules. */
const LONG = /^--(?:exclude-[fp]|reme|diff-m\w*(?:-\w*)*(?:=r|$)|su\w*=diff)/;
/** A local repository: its settings and hooks run during an exchange. */
const ON_DISK = /^[/.~]/;

/**
 * Returns whether a path enters the folder with a repository's settings and hooks.
 *
 * @example
 * ```ts run
 * import { entersGitFolder } from "@haft/commands";
 *
 * entersGitFolder("app/.git/hooks/pre-commit"); // => true
 * entersGitFolder("app/.gitignore"); // => false
 * ```
 */
export function entersGitFolder(path: string): boolean {
  return GIT_FOLDER.test(path.replaceAll(/\p{Cf}/gu, ""));
}

/**
 * Returns whether a command runs git, under any name.
 *
 * @example
 * ```ts run
 * import { isGit } from "@haft/commands";
 *
 * isGit({ name: "git" }); // => true
 * isGit({ name: "vcs", path: "/usr/bin/git" }); // => true
 * ```
 */
export function isGit({ name, path, builtin }: Pick<PlannedCommand, "name" | "path" | "builtin">): boolean {
  return builtin !== true && [...tableNames(name), ...tableNames(path ?? name)].includes("git");
}

/**
 * Parses the words after `git`. Everything that is not known to be harmless is `unclear`, with the end of a sentence as the reason. Returns
 * `undefined` without a command.
 *
 * @example
 * ```ts run
 * import { readGitCall } from "@haft/commands";
 *
 * const call = readGitCall(["push", "origin", "main"]);
 * call && "exchange" in call ? call.exchange : undefined; // => { way: "push", with: ["origin"] }
 * readGitCall(["-c", "core.editor=evil", "commit"]); // => { unclear: "git can start other programs with -c" }
 * ```
 */
export function readGitCall(args: readonly string[]): GitCall | { unclear: string } | undefined {
  const folders: string[] = [];
  let at = 0;
  for (; args[at]?.startsWith("-"); at++) {
    const word = args[at] ?? "";
    if (word === "-C" && at + 1 < args.length) folders.push(args[(at += 1)] ?? "");
    else if (word === "-c" && HARMLESS_SETTING.test(args[at + 1] ?? "")) at += 1;
    else if (!GLOBAL.test(word)) return { unclear: `git can start other programs with ${shown(word)}` };
  }
  const inside = folders.find(entersGitFolder);
  if (inside !== undefined) return { unclear: `git -C ${inside} works among the files of a repository` };
  const name = args[at];
  if (name === undefined) return undefined;
  const found = findGitCommand(name, args[at + 1]);
  if (found === undefined) return { unclear: whyUnknown(name, args[at + 1]) };
  const words = args.slice(at + (found.isFamily ? 2 : 1));
  const { command } = found;
  const read = command.options === undefined ? readLooking(name, words) : readOptions(words, command.options);
  if ("unknown" in read)
    return {
      unclear: `git ${found.name} can start other programs, or use any file, with ${shown(read.unknown)}`,
    };
  const unclear = whyUnclear(found.name, command, read);
  return unclear === undefined ? callOf(found.name, command, read, folders) : { unclear };
}

function whyUnknown(name: string, first: string | undefined): string {
  const isKind = /^(?:bisect|bundle|notes|sparse-checkout|stash|submodule|worktree|remote|reflog)$/.test(
    name,
  );
  return isKind
    ? `git ${name}${first === undefined ? "" : ` ${first}`} can start other programs, or change what later ones do`
    : `git ${name} can be an alias for anything, or starts other programs`;
}

function shown(word: string): string {
  return word.split("=", 1)[0] ?? word;
}

function readLooking(name: string, words: readonly string[]): ReadOptions | { unknown: string } {
  const end = words.indexOf("--");
  const options = end < 0 ? words : words.slice(0, end);
  const unknown = options.find(
    (word) => isLaunching(word, LETTERS[name] ?? "") || (name === "status" && word.startsWith("--verb")),
  );
  if (unknown !== undefined) return { unknown };
  return {
    operands: words.filter((word, at) => !word.startsWith("-") || (end >= 0 && at > end)),
    options: [],
  };
}

function isLaunching(word: string, letters: string): boolean {
  const option = /^--([^=]+)/.exec(word)?.[1];
  if (option !== undefined)
    return LONG.test(word) || LAUNCHING_OPTIONS.some((name) => name.startsWith(option));
  return ORDER.test(word) || (/^-[^-]/.test(word) && hasLetter(word, letters));
}

function whyUnclear(
  name: string,
  command: GitCommand,
  { operands, options: given }: ReadOptions,
): string | undefined {
  if (name === "diff" && operands.some((word) => OUTSIDE.test(word))) return "git diff can compare any files";
  const odd = given.find(({ option, value }) => command.allowed?.[option]?.test(value) === false);
  if (odd !== undefined)
    return `git ${name} can start other programs, or use any file, with ${odd.option} ${odd.value}`;
  // Its file names are predictable, and it follows links.
  if (name === "format-patch" && !given.some(({ option }) => option === "--stdout"))
    return "git format-patch without --stdout writes into files, which can be links to others";
  if (
    name === "config" &&
    (given.length === 0 || operands.length !== 1 || !SHOWN_SETTING.test(operands[0] ?? ""))
  )
    return "git config shows and sets whatever it is told to; git config --get shows one setting";
  if (name === "symbolic-ref" && operands.length !== 1) return "git symbolic-ref can write any reference";
  if (name === "clean" && given.filter(({ option }) => option === "-f").length > 1)
    return "git clean with -f twice removes other repositories";
  const elsewhere = whereItIs(command, operands).find((word) => !mayBeElsewhere(word, command));
  if (elsewhere !== undefined)
    return `git ${name} ${elsewhere} can start what another repository on this machine says, or a program`;
  const entering = command.options === undefined ? undefined : operands.find(entersGitFolder);
  if (entering !== undefined)
    return `git ${name} is given ${entering}, which lies among the files of a repository`;
  return undefined;
}

function whereItIs({ exchanges, address }: GitCommand, operands: readonly string[]): readonly string[] {
  if (address !== undefined) return operands.slice(address, address + 1);
  return exchanges === undefined || exchanges === "all" ? [] : operands.slice(0, 1);
}

/** Returns whether the word leads to another machine, or names a remote of the repository. */
function mayBeElsewhere(word: string, { exchanges, address }: GitCommand): boolean {
  if (isNetworkAddress(word)) return true;
  return exchanges !== "clone" && address === undefined && !word.includes(":") && !ON_DISK.test(word);
}

function callOf(
  name: string,
  command: GitCommand,
  { operands, options: given }: ReadOptions,
  folders: readonly string[],
): GitCall | { unclear: string } {
  const does = new Set((command.does ?? "").split(" ").filter((word) => word !== ""));
  const exchange = exchangeOf(name, command, operands, given);
  const makes = madeBy(command, operands);
  if (makes === undefined) return { unclear: `git ${name} would make a folder whose name cannot be told` };
  const address = command.address === undefined ? undefined : operands[command.address];
  return withoutUndefined({
    name,
    folders,
    does,
    hooks: hooksOf(command, does, given),
    makes,
    reads: readBy(command, operands, given),
    exchange,
    addresses: address === undefined ? [] : [address],
    hasTrailers: given.some(({ option }) => option === "--trailer"),
  });
}

function exchangeOf(
  name: string,
  { exchanges }: GitCommand,
  operands: readonly string[],
  given: readonly ParsedOption[],
): GitExchange | undefined {
  if (exchanges === undefined) return undefined;
  const has = (option: string): boolean => given.some((one) => one.option === option);
  const way = exchanges === "all" ? "fetch" : exchanges;
  if (
    exchanges === "all" ||
    (name === "fetch" && (has("--all") || has("--multiple") || has("-m"))) ||
    (name === "pull" && has("--all"))
  )
    return { way, with: operands.length > 0 && (has("--multiple") || has("-m")) ? operands : "all" };
  return { way, with: operands.slice(0, 1) };
}

function madeBy({ makes }: GitCommand, operands: readonly string[]): readonly string[] | undefined {
  if (makes === undefined) return [];
  if (makes === "all") return operands;
  if (makes === "first") return operands.slice(0, 1);
  const [address, folder] = operands;
  if (address === undefined) return [];
  const made = folder ?? folderNamedBy(address);
  return made === undefined ? undefined : [made];
}

function readBy(
  { reads, allowed = {} }: GitCommand,
  operands: readonly string[],
  given: readonly ParsedOption[],
): readonly string[] {
  const named = reads === undefined ? [] : operands.slice(0, reads === "first" ? 1 : undefined);
  const messages = given.flatMap(({ option, value }) =>
    /^(?:-F|--file)$/.test(option) && Object.hasOwn(allowed, option) ? value : [],
  );
  return [...named, ...messages].filter((word) => word !== "-");
}

function folderNamedBy(address: string): string | undefined {
  const path = address
    .replace(/[/\s]+$/, "")
    .replace(/\/\.git$/, "")
    .replace(/\/+$/, "");
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf(":")) + 1).replace(/\.git$/, "");
  return /^[\w+@-][\w.+@-]*$/.test(name) ? name : undefined;
}

function hooksOf(command: GitCommand, does: ReadonlySet<string>, given: readonly ParsedOption[]): string[] {
  const all = [
    ...(command.hooks ?? "").split(" "),
    ...(does.has("index") ? ["post-index-change"] : []),
    ...(does.has("refs") ? ["reference-transaction"] : []),
    ...(does.has("objects") ? ["pre-auto-gc"] : []),
  ].filter((hook) => hook !== "");
  const leaves = given.findLast(({ option }) => /^--(?:no-)?verify$/.test(option));
  const isCommit =
    (command.hooks ?? "").startsWith("pre-commit") && given.some(({ option }) => option === "-n");
  const isWithout = leaves?.option === "--no-verify" || (isCommit && leaves === undefined);
  const left =
    /^(?:pre-commit|commit-msg|pre-merge-commit|pre-push|pre-rebase|applypatch-msg|pre-applypatch)$/;
  return [...new Set(isWithout ? all.filter((hook) => !left.test(hook)) : all)];
}
