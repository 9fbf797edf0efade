import { joinPath } from "@haft/utils";
import type { DirectoryEntry, Workspace } from "../contract/ports.ts";
import { compilePathPattern } from "../patterns/path-pattern.ts";
import type { PathPattern } from "../patterns/pattern-tree.ts";
import { belowFolders } from "./glob.ts";
import {
  type OuterIgnores,
  runSteps,
  type ScanFiles,
  type Steps,
  wait,
  workspaceFiles,
} from "./scan-files.ts";

/** Reads only this many bytes of an ignore file. */
const MOST_BYTES = 1024 * 1024;

/**
 * Contains the ignore rules of one folder, with the ignore files in it.
 *
 * @example
 * ```ts
 * import type { IgnoreRules } from "@haft/core";
 * const visible = (rules: IgnoreRules, files: readonly string[]) => files.filter((name) => !rules.ignores(name, false));
 * ```
 */
export interface IgnoreRules {
  /** Returns whether an entry of the folder is ignored. `folder`: whether the entry is a folder. */
  ignores(name: string, folder: boolean): boolean;
  /** Returns the rules that one of its folders inherits. */
  below(name: string): InheritedIgnoreRules;
}

/**
 * Contains the ignore rules that a folder inherits, without the ignore files in it.
 *
 * @example
 * ```ts
 * import type { InheritedIgnoreRules } from "@haft/core";
 * const isIgnored = async (inherited: InheritedIgnoreRules, name: string) => (await inherited.within()).ignores(name, false);
 * ```
 */
export interface InheritedIgnoreRules {
  /** Adds the ignore files of the folder. Without `entries`, the folder is searched for them. */
  within(entries?: readonly DirectoryEntry[]): Promise<IgnoreRules>;
}

/** Ignore rules whose files are read by steps. */
export interface RuleLevel {
  within(entries?: readonly DirectoryEntry[]): Steps<FolderRules>;
}

export interface FolderRules {
  ignores(name: string, folder: boolean): boolean;
  below(name: string): RuleLevel;
}

const ALL_VISIBLE: FolderRules = { ignores: (name) => name === ".git", below: () => ALL_LEVELS };

/** Hides only `.git`. */
export const ALL_LEVELS: RuleLevel = {
  // oxlint-disable-next-line require-yield -- needs no file
  *within() {
    return ALL_VISIBLE;
  },
};

/** The first file with a matching rule decides. */
const FILES = [".rgignore", ".ignore", ".gitignore"] as const;
/** Sources of a repository, in the same order. */
const OF_REPOSITORIES = [".gitignore", "exclude", "user"] as const;

type Kind = (typeof FILES)[number] | (typeof OF_REPOSITORIES)[number];
const KINDS: readonly Kind[] = [".rgignore", ".ignore", ...OF_REPOSITORIES];

/** Paths are relative to one folder for all of a walk, and empty for that folder. */
interface Source {
  kind: Kind;
  at: string;
  verdict: (path: string, folder: boolean) => Verdict;
}

/**
 * Returns the ignore rules that a folder inherits: of all parent folders, of the repository and of the user. Rules of parents do not apply if
 * they ignore `folder`, because the call names it explicitly.
 *
 * @throws HaftError of the file system, if the folder is missing or outside the workspace
 * @example
 * ```ts
 * import { ignoreRules, type Workspace } from "@haft/core";
 * const rulesOf = async (workspace: Workspace) => (await ignoreRules(workspace, ".")).within();
 * ```
 */
export async function ignoreRules(workspace: Workspace, folder: string): Promise<InheritedIgnoreRules> {
  return toInherited(await runSteps(ruleSteps(workspaceFiles(workspace), folder)));
}

function toInherited(rules: RuleLevel): InheritedIgnoreRules {
  return {
    async within(entries) {
      const here = await runSteps(rules.within(entries));
      return {
        ignores: (name, folder) => here.ignores(name, folder),
        below: (name) => toInherited(here.below(name)),
      };
    },
  };
}

export function* ruleSteps(access: ScanFiles, folder: string): Steps<RuleLevel> {
  const real = yield* wait(access.realpath(folder));
  const root = rootOf(access.mounts, real);
  const outer = yield* wait(access.outerIgnores(root));
  let rules = startingRules(access, root, outer);
  for (const name of real.slice(root.length).split("/")) {
    if (name === "") continue;
    const here = yield* rules.within();
    rules = here.ignores(name, true) ? anew(access, rules, name) : (here.below(name) as Level);
  }
  return rules;
}

function rootOf(mounts: readonly { path: string }[], real: string): string {
  const holding = mounts.filter(
    ({ path }) => real === path || real.startsWith(path === "/" ? path : `${path}/`),
  );
  return holding.toSorted((a, b) => b.path.length - a.path.length)[0]?.path ?? real;
}

interface Level extends RuleLevel {
  location: string;
  path: string;
  user: string;
}

function startingRules(access: ScanFiles, root: string, outer: OuterIgnores | undefined): Level {
  const { above = [], repository, user = "" } = outer ?? {};
  const path = repository?.below ?? "";
  const folderOf = (below: string): string => path.slice(0, path.length - below.length).replace(/\/$/, "");
  let sources: readonly Source[] = [];
  if (repository !== undefined) {
    const files = above.map(({ name, below, text }) => ({ kind: name, at: folderOf(below), text }));
    const general = [
      { kind: "exclude", at: "", text: repository.exclude },
      { kind: "user", at: "", text: user },
    ] as const;
    sources = merged([], [...files, ...general]);
  }
  // The root was requested explicitly.
  const names = path.split("/");
  const isIgnored = names.some((_, index) => ignoredBy(sources, names.slice(0, index + 1).join("/"), true));
  return level(access, root, path, user, path !== "" && isIgnored ? [] : sources);
}

function anew(access: ScanFiles, { location, path, user }: Level, name: string): Level {
  return level(access, joinPath(location, name), joinPath(path, name), user, []);
}

function level(
  access: ScanFiles,
  location: string,
  path: string,
  user: string,
  above: readonly Source[],
): Level {
  return {
    location,
    path,
    user,
    *within(entries) {
      const sources = yield* sourcesIn(access, { location, path, user }, above, entries);
      return {
        ignores: (name, folder) => name === ".git" || ignoredBy(sources, joinPath(path, name), folder),
        below: (name) => level(access, joinPath(location, name), joinPath(path, name), user, sources),
      };
    },
  };
}

function ignoredBy(sources: readonly Source[], path: string, folder: boolean): boolean {
  for (const { at, verdict } of sources) {
    if (at.length >= path.length) continue;
    const result = verdict(at === "" ? path : path.slice(at.length + 1), folder);
    if (result !== undefined) return result === "ignored";
  }
  return false;
}

/** Returns the rules of a folder: inherited rules and its own files. A nested repository inherits no rules of the outer repository. */
function* sourcesIn(
  access: ScanFiles,
  { location, path: at, user }: Pick<Level, "location" | "path" | "user">,
  above: readonly Source[],
  entries: readonly DirectoryEntry[] | undefined,
): Steps<readonly Source[]> {
  const typeOf = (name: string) => entries?.find((entry) => entry.name === name)?.type;
  const git = entries === undefined ? yield* typeAt(access, joinPath(location, ".git")) : typeOf(".git");
  const files: { kind: Kind; at: string; text: string }[] = [];
  for (const kind of FILES) {
    if (entries !== undefined && typeOf(kind) === undefined) continue;
    files.push({ kind, at, text: yield* readRules(access, joinPath(location, kind)) });
  }
  if (git === undefined) return merged(above, files);
  const common = yield* commonGitFolder(access, location, git);
  const exclude = yield* readRules(access, joinPath(common, "info/exclude"));
  files.push({ kind: "exclude", at, text: exclude }, { kind: "user", at, text: user });
  const isAround = ({ kind, at: folder }: Source) => isOfRepository(kind) && folder !== at;
  const known = above.filter((source) => !isAround(source));
  return merged(
    known,
    files.filter(({ kind }) => kind !== "user" || known.every((source) => source.kind !== "user")),
  );
}

/** Returns `.git`, or the target of a `.git` file in submodules and linked work trees. Files outside the workspace have no effect. */
function* commonGitFolder(access: ScanFiles, location: string, type: DirectoryEntry["type"]): Steps<string> {
  const git = joinPath(location, ".git");
  const [, named] =
    type === "directory" ? [] : (/^gitdir: (.+?)\r?\n?$/.exec(yield* readRules(access, git)) ?? []);
  if (named === undefined) return git;
  const gitFolder = resolveFrom(location, named);
  const common = (yield* readRules(access, joinPath(gitFolder, "commondir"))).trim();
  return common === "" ? gitFolder : resolveFrom(gitFolder, common);
}

const resolveFrom = (folder: string, path: string): string =>
  path.startsWith("/") ? path : joinPath(folder, path);

const isOfRepository = (kind: Kind): boolean => (OF_REPOSITORIES as readonly Kind[]).includes(kind);

function merged(
  above: readonly Source[],
  files: readonly { kind: Kind; at: string; text: string }[],
): readonly Source[] {
  const added = files.flatMap(({ kind, at, text }): Source[] =>
    text === "" ? [] : [{ kind, at, verdict: compileGitignore(text) }],
  );
  if (added.length === 0) return above;
  const rank = ({ kind }: Source): number => KINDS.indexOf(kind);
  return [...above, ...added].toSorted((a, b) => rank(a) - rank(b) || b.at.length - a.at.length);
}

function* typeAt(access: ScanFiles, path: string): Steps<DirectoryEntry["type"] | undefined> {
  try {
    return yield* wait(access.type(path));
  } catch {
    return undefined;
  }
}

function* readRules(access: ScanFiles, path: string): Steps<string> {
  try {
    const bytes = yield* wait(access.read(path, MOST_BYTES));
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  } catch {
    return "";
  }
}

type Verdict = "ignored" | "kept" | undefined;

interface Rule {
  /** `!pattern`: includes paths that an earlier rule ignored. */
  negated: boolean;
  folders: boolean;
  /** A pattern with a slash before its end is matched from the file's own folder. */
  anchored: boolean;
  pattern: PathPattern;
}

/** Compiles the syntax of `.gitignore`. Paths are relative to its folder. */
export function compileGitignore(text: string): (path: string, folder: boolean) => Verdict {
  const rules = text
    .replace(/^\ufeff/, "")
    .split(/\r?\n|\r$/)
    .flatMap((line) => parseRule(line) ?? [])
    .toReversed();
  return (path, folder) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    for (const rule of rules) {
      if (rule.folders && !folder) continue;
      if (rule.pattern.matches(rule.anchored ? path : name)) return rule.negated ? "kept" : "ignored";
    }
    return undefined;
  };
}

/** In characters. No path is longer, and memory grows with patterns. */
const MAX_PATTERN_LENGTH = 4096;

function parseRule(line: string): Rule | undefined {
  if (line.startsWith("#") || line.length > MAX_PATTERN_LENGTH) return undefined;
  let text = trimBlanks(line);
  const negated = text.startsWith("!");
  if (negated) text = text.slice(1);
  const folders = text.endsWith("/");
  if (folders) text = text.slice(0, -1);
  const anchored = text.includes("/");
  if (text.startsWith("/")) text = text.slice(1);
  if (text === "" || text.startsWith("/")) return undefined;
  // Git treats braces as ordinary characters.
  const pattern = compilePathPattern(
    belowFolders(text).replaceAll(/\\.|[{}]/g, (sign) => sign.padStart(2, "\\")),
    { emptyRanges: true },
  );
  return "problem" in pattern ? undefined : { negated, folders, anchored, pattern };
}

/** Like git: a blank after an odd number of backslashes stays. */
function trimBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " ") end -= 1;
  if (end === line.length) return line;
  let slashes = 0;
  while (slashes < end && line[end - 1 - slashes] === "\\") slashes += 1;
  return line.slice(0, slashes % 2 === 1 ? end + 1 : end);
}
