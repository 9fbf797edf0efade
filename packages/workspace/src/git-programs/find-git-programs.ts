import { attempt, isWithin, readRegularFile } from "@haft/system";
import { readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { createDenyList, escapeGlob } from "../boundary/deny.ts";
import type { ScriptContext } from "./expand-paths.ts";
import { FileStamps, resolveFromFolder, type GitEnvironment, GitSettings } from "./git-settings.ts";
import { isHooksFolder, type NamedPath, namedPaths } from "./named-paths.ts";

export interface GitRepository {
  common: string;
  tops: readonly string[];
}

export interface GitPrograms {
  /** Absolute paths, also of missing files that git would start. */
  paths: readonly string[];
  patterns: readonly string[];
  stamps: FileStamps;
}

const LARGEST = 256 * 1024;
const MOST_FILES = 300;
const MOST_IN_FOLDER = 500;
const MOST_PATHS = 1000;
const DEEPEST = 6;
/** Installed code counts as ordinary code of the project, even if a hook starts it. */
const INSTALLED = /\/(?:node_modules|\.venv|venv|vendor|target|dist|build|\.cache)(?:\/|$)/;
const SCRIPT = /\.(?:sh|bash|zsh|fish|py|[cm]?[jt]sx?|rb|pl|php|lua|ps1|bat|cmd|exe)$/i;
const DATA = /\.(?:ya?ml|jsonc?|toml|pkl)$/i;
const HOOKS = [
  ..."applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg".split(
    " ",
  ),
  ..."commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive".split(
    " ",
  ),
  ..."post-receive post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite".split(" "),
  ..."sendemail-validate fsmonitor-watchman post-index-change".split(" "),
];
const NO_PROGRAM = new RegExp(
  `^(?:${[
    String.raw`core\.(?:worktree|excludesfile|attributesfile|bare|filemode)`,
    String.raw`(?:user|author|committer|branch|color|advice|push|pull|fetch|safe|column|log|blame|url|pretty|format|i18n|maintenance)\..*`,
    String.raw`submodule\.(?!.*\.update$).*`,
    String.raw`remote\.(?!.*\.(?:uploadpack|receivepack)$).*`,
    String.raw`init\.(?!templatedir$).*`,
    String.raw`diff\..*\.(?:x?funcname|wordregex)|lfs\.storage|commit\.template`,
  ].join("|")})$`,
  "s",
);
const MODULE_ENDINGS =
  ".sh .js .cjs .mjs .ts .py /index.js /index.cjs /index.mjs /index.ts /__main__.py".split(" ");
/**
 * Finds hooks, scripts that these source or start, files of hook managers, and programs and included files of settings. Starts no program,
 * and reads a limited number of files.
 */
export function findGitPrograms(repository: GitRepository, environment: GitEnvironment): GitPrograms {
  const search = new Search(repository, environment);
  return { paths: [...search.found], patterns: [...search.patterns], stamps: search.stamps };
}

interface Waiting extends ScriptContext {
  depth: number;
}

class Search {
  readonly found = new Set<string>();
  readonly patterns = new Set<string>();
  readonly stamps = new FileStamps();
  readonly #common: string;
  readonly #tops: readonly string[];
  readonly #home: string;
  readonly #roots: readonly string[];
  readonly #waiting: Waiting[] = [];
  readonly #seen = new Set<string>();
  #hookFolders: string[] = [];
  #read = 0;

  constructor({ common, tops }: GitRepository, environment: GitEnvironment) {
    this.#common = common;
    this.#tops = tops.length > 0 ? tops : [common];
    this.#roots = environment.roots;
    this.#home = environment.home;
    const settings = new GitSettings(common, environment, this.stamps);
    for (const file of settings.included) this.#add(file);
    if (tops.length === 0) for (const name of ["config", "config.worktree"]) this.#add(join(common, name));
    this.#inspectHooks(join(common, "hooks"), this.#tops);
    for (const { key, value } of settings.entries) {
      if (value === "" || NO_PROGRAM.test(key)) continue;
      if (key.startsWith("alias.") && !value.startsWith("!")) continue;
      for (const top of this.#tops) {
        if (key === "core.hookspath") this.#inspectHooks(resolveFromFolder(value, top, this.#home), [top]);
        // Git copies these hooks into new repositories.
        else if (key === "init.templatedir")
          this.#inspectHooks(join(resolveFromFolder(value, top, this.#home), "hooks"), [top]);
        else this.#inspectValue(value, top);
      }
    }
    for (let one = this.#waiting.shift(); one !== undefined; one = this.#waiting.shift()) this.#scan(one);
    this.#addManagerFiles();
  }

  /** Adds existing files near the top. The patterns cover missing files. */
  #addManagerFiles(): void {
    if (this.patterns.size === 0) return;
    const list = createDenyList([...this.patterns], { root: "/", home: this.#home, roots: [] });
    for (const folder of this.#tops.flatMap((top) => [top, join(top, ".config")])) {
      this.stamps.record(folder);
      for (const name of attempt(() => readdirSync(folder)) ?? [])
        if (list.denies(join(folder, name))) this.#add(join(folder, name));
    }
  }

  #inspectHooks(folder: string, tops: readonly string[]): void {
    const isAround = tops.some((top) => isWithin(top, folder));
    if (isAround) for (const name of HOOKS) this.#add(join(folder, name));
    else this.#add(folder);
    this.#hookFolders.push(folder, resolveRealPath(folder));
    this.stamps.record(folder);
    const names = (attempt(() => readdirSync(folder)) ?? []).filter((name) => !name.endsWith(".sample"));
    const hooks = isAround ? names.filter((name) => HOOKS.includes(name)) : names;
    for (const name of hooks.slice(0, MOST_IN_FOLDER)) {
      const file = join(folder, name);
      this.#add(file);
      for (const cwd of tops) this.#wait({ started: file, file, cwd, common: this.#common, depth: 0 });
    }
  }

  /** The value is a command line, or a path with blanks. */
  #inspectValue(value: string, top: string): void {
    const command = value.replace(/^!/, "");
    const context = { started: top, file: join(top, "x"), cwd: top, common: this.#common };
    const { paths, folders } = namedPaths(command.replaceAll(/(^|[\s"'=])~\//g, `$1${this.#home}/`), context);
    const whole = resolveFromFolder(command, top, this.#home);
    const isStarted = /\/(?!$)/.test(command);
    for (const named of [{ path: whole, isStarted, isFolder: false, isModule: false }, ...paths])
      this.#inspect(
        { ...named, isStarted: named.isStarted || kindOf(named.path) === "file" },
        { ...context, folders, depth: 0 },
      );
  }

  #wait(one: Waiting): void {
    const key = [one.started, one.file, one.cwd, ...(one.folders ?? [])].join("\0");
    if (one.depth > DEEPEST || this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#waiting.push(one);
  }

  #scan(one: Waiting): void {
    if (++this.#read > MOST_FILES) return;
    this.stamps.record(one.file);
    const text = textOf(one.file);
    if (text === undefined) return;
    const isOfManager = this.#inspectManagers(text, one) || DATA.test(one.file);
    const { paths, folders } = namedPaths(text, one);
    for (const named of paths) {
      const isStarted = named.isStarted || (isOfManager && DATA.test(named.path));
      this.#inspect({ ...named, isStarted }, { ...one, folders });
    }
  }

  #inspect({ path, isStarted, isFolder, isModule }: NamedPath, one: Waiting): void {
    // A module may be the working tree itself.
    if (!this.#isCovered(isModule ? join(path, "package.json") : path)) return;
    if (isFolder) return this.#inspectFolder(path, isStarted, one);
    this.#inspectFile(path, isStarted, one);
    if (!isModule || kindOf(path) === "file") return;
    this.#inspectModule(path, isStarted, one);
    if (!isStarted) return;
    const settings = join(path, "package.json");
    this.#inspectFile(settings, true, one);
    const main = mainOf(textOf(settings));
    if (main === undefined) return;
    this.#inspectFile(resolve(path, main), true, one);
    this.#inspectModule(resolve(path, main), true, one);
  }

  /** In a folder, only started files count. */
  #inspectModule(path: string, isStarted: boolean, one: Waiting): void {
    for (const ending of MODULE_ENDINGS)
      if ((isStarted || !ending.startsWith("/")) && this.#isCovered(path + ending))
        this.#inspectFile(path + ending, isStarted, one);
  }

  #inspectManagers(text: string, { cwd, started, common, depth }: Waiting): boolean {
    const scripts = /\b(?:npm|npx|pnpm|yarn|bun|bunx)\b/.test(text)
      ? textOf(join(cwd, "package.json"))
      : undefined;
    if (scripts !== undefined) this.stamps.record(join(cwd, "package.json"));
    const named = managerFiles(text + (scripts ?? ""), cwd);
    for (const pattern of named) this.patterns.add(pattern);
    if (named.length === 0) return false;
    for (const file of MANAGER_FILES_AT_TOP) {
      const path = join(cwd, file);
      this.stamps.record(path);
      if (kindOf(path) === "file") this.#wait({ started, file: path, cwd, common, depth: depth + 1 });
    }
    return true;
  }

  #inspectFolder(path: string, isStarted: boolean, one: Waiting): void {
    const folder = path.replace(/(?<=.)\/+$/, "");
    if (!isStarted && !isHooksFolder(folder) && !this.#isNearHooks(folder)) return;
    if (this.#tops.some((top) => isWithin(top, folder))) return;
    this.#add(folder);
    this.stamps.record(folder);
    for (const name of (attempt(() => readdirSync(folder)) ?? []).slice(0, MOST_IN_FOLDER)) {
      const file = join(folder, name);
      if (kindOf(file) === "file") this.#wait({ ...one, file, depth: one.depth + 1 });
    }
  }

  #inspectFile(path: string, isStarted: boolean, one: Waiting): void {
    const kind = kindOf(path);
    if (kind === "folder" || kind === "other") return;
    const counts =
      kind === "file"
        ? isStarted || this.#isNearHooks(path) || isProgram(path)
        : isStarted || SCRIPT.test(path) || this.#isNearHooks(path) || isHooksFolder(dirname(path));
    if (!counts) return;
    this.#add(path);
    this.stamps.record(path);
    if (kind !== "file") return;
    // A sourced script has the `$0` of its parent; a started script has its own.
    this.#wait({ ...one, file: path, depth: one.depth + 1 });
    this.#wait({ ...one, started: path, file: path, depth: one.depth + 1 });
  }

  #isNearHooks(path: string): boolean {
    return this.#hookFolders.some((folder) => {
      if (isWithin(path, folder)) return true;
      const above = dirname(folder);
      return isWithin(path, above) && this.#tops.some((top) => above !== top && isWithin(above, top));
    });
  }

  /** Includes working trees, session roots and hook folders, without installed code. */
  #isCovered(path: string): boolean {
    if (INSTALLED.test(path)) return false;
    const isInside = (folder: string) => path !== folder && isWithin(path, folder);
    return (
      [...this.#tops, ...this.#roots].some(isInside) ||
      this.#hookFolders.some(isInside) ||
      this.#isNearHooks(path)
    );
  }

  #add(path: string): void {
    if (this.found.size >= MOST_PATHS) return;
    this.found.add(path);
    this.found.add(resolveRealPath(path));
  }
}

const MANAGER_FILES_AT_TOP = [
  ..."lefthook.yml .lefthook.yml lefthook.yaml lefthook.toml lefthook.json lefthook-local.yml".split(" "),
  ..."lefthook-local.yaml .config/lefthook.yml .pre-commit-config.yaml prek.toml .overcommit.yml".split(" "),
];

function mainOf(text: string | undefined): string | undefined {
  const main = attempt(() => (JSON.parse(text ?? "{}") as { main?: unknown } | null)?.main);
  return typeof main === "string" && main !== "" ? main : undefined;
}

function textOf(path: string): string | undefined {
  const bytes = attempt(() => readRegularFile(path, { maxBytes: LARGEST, followLink: true }));
  return bytes === undefined || bytes.includes(0) ? undefined : bytes.toString("utf8");
}

function kindOf(path: string): "file" | "folder" | "other" | undefined {
  const stats = attempt(() => statSync(path, { throwIfNoEntry: false }));
  if (stats === undefined) return undefined;
  return stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other";
}

function isProgram(path: string): boolean {
  if (SCRIPT.test(path)) return true;
  if (((attempt(() => statSync(path))?.mode ?? 0) & 0o111) !== 0) return true;
  return textOf(path)?.startsWith("#!") === true;
}

const MOST_LINKS = 40;

export function resolveRealPath(path: string): string {
  let at = resolve(path);
  let rest = "";
  for (let links = 0; links < MOST_LINKS;) {
    const found = attempt(() => realpathSync.native(at));
    if (found !== undefined) return join(found, rest);
    const target = attempt(() => readlinkSync(at));
    if (target !== undefined) {
      links += 1;
      at = resolve(dirname(at), target);
      continue;
    }
    if (at === dirname(at)) break;
    rest = join(basename(at), rest);
    at = dirname(at);
  }
  return path;
}

interface HookManager {
  name: RegExp;
  files: readonly string[];
}

const DATA_ENDINGS = "{yml,yaml,json,jsonc,toml}";
const MODULE = "{js,cjs,mjs,ts,cts,mts}";

const MANAGERS: readonly HookManager[] = [
  {
    name: /lefthook/i,
    files: [
      `{.,}lefthook{,-local}.${DATA_ENDINGS}`,
      `.config/lefthook{,-local}.${DATA_ENDINGS}`,
      ".lefthook",
      ".lefthook-local",
    ],
  },
  { name: /pre-commit|\bprek\b|hook-impl/, files: [".pre-commit-config.{yaml,yml}", "prek.toml"] },
  {
    name: /lint-staged|nano-staged/,
    files: [
      `**/.{lintstagedrc,nano-staged}{,.${DATA_ENDINGS},.${MODULE}}`,
      `**/{lint-staged,nano-staged}.config.${MODULE}`,
    ],
  },
  {
    name: /commitlint/,
    files: [`.commitlintrc{,.${DATA_ENDINGS},.${MODULE}}`, `commitlint.config.${MODULE}`],
  },
  { name: /husky/, files: [".husky", `.huskyrc{,.${DATA_ENDINGS},.${MODULE}}`, `husky.config.${MODULE}`] },
  { name: /overcommit/, files: [".overcommit.yml", ".git-hooks"] },
  { name: /\bhk\b/, files: ["hk.pkl", "hk.local.pkl"] },
  { name: /captainhook/, files: ["captainhook.json", "captainhook.config.json"] },
  { name: /grumphp/, files: [`grumphp.${DATA_ENDINGS}`] },
  { name: /rusty-hook/, files: ["{.,}rusty-hook.toml"] },
];

function managerFiles(text: string, top: string): string[] {
  return MANAGERS.filter(({ name }) => name.test(text)).flatMap(({ files }) =>
    files.map((file) => join(escapeGlob(top), file)),
  );
}
