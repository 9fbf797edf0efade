import { attempt, readRegularFile } from "@haft/system";
import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseGitConfig } from "./parse-git-config.ts";

export interface GitSettingEntry {
  key: string;
  value: string;
}

export interface GitEnvironment {
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  roots: readonly string[];
}

const LARGEST = 4 * 1024 * 1024;
const MOST_INCLUDES = 10;
const MOST_VARIABLES = 1000;
const NAME_PROGRAMS = [
  ..."GIT_EDITOR GIT_SEQUENCE_EDITOR VISUAL EDITOR GIT_PAGER PAGER GIT_EXTERNAL_DIFF".split(" "),
  ..."GIT_SSH GIT_SSH_COMMAND GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS".split(" "),
];
const OF_MACHINE = ["/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig"];
const INCLUDE = /^include(?:if\..*)?\.path$/s;

/** Ignores conditions of includes, because they may hold at the next start. */
export class GitSettings {
  readonly entries: GitSettingEntry[] = [];
  readonly included = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #home: string;
  readonly #stamps: FileStamps;

  constructor(common: string, environment: GitEnvironment, stamps: FileStamps) {
    this.#home = environment.home;
    this.#stamps = stamps;
    for (const file of [...userFiles(environment), ...repositoryFiles(common, stamps)]) this.#read(file, 0);
    this.entries.push(...settingsOfVariables(environment.env));
  }

  #read(file: string, depth: number): void {
    if (this.#seen.has(file)) return;
    this.#seen.add(file);
    this.#stamps.record(file);
    const text = attempt(() =>
      readRegularFile(file, { maxBytes: LARGEST, followLink: true }).toString("utf8"),
    );
    if (text === undefined) return;
    for (const [key, value] of parseGitConfig(text)) {
      this.entries.push({ key, value });
      if (!INCLUDE.test(key) || depth >= MOST_INCLUDES) continue;
      const path = resolveFromFolder(value, dirname(file), this.#home);
      this.included.add(path);
      this.#read(path, depth + 1);
    }
  }
}

function userFiles({ home, env }: GitEnvironment): string[] {
  const { GIT_CONFIG_SYSTEM, GIT_CONFIG_GLOBAL, XDG_CONFIG_HOME } = env;
  const named = [GIT_CONFIG_SYSTEM, GIT_CONFIG_GLOBAL].filter((path) => path !== undefined && path !== "");
  const configuration = XDG_CONFIG_HOME || join(home, ".config");
  return [...OF_MACHINE, ...(named as string[]), join(configuration, "git/config"), join(home, ".gitconfig")];
}

function repositoryFiles(common: string, stamps: FileStamps): string[] {
  const trees = join(common, "worktrees");
  stamps.record(trees);
  const names = attempt(() => readdirSync(trees)) ?? [];
  return [
    join(common, "config"),
    join(common, "config.worktree"),
    ...names.map((name) => join(trees, name, "config.worktree")),
  ];
}

/** Matches `'KEY'='VALUE'`, or `'KEY=VALUE'` of older versions of git. */
const PARAMETER = /'([^'=]+)(?:=([^']*))?'(?:='([^']*)')?/g;

function settingsOfVariables(env: GitEnvironment["env"]): GitSettingEntry[] {
  const count = Math.min(Number(env["GIT_CONFIG_COUNT"]) || 0, MOST_VARIABLES);
  const counted = Array.from({ length: count }, (_, at) => ({
    key: keyOf(env[`GIT_CONFIG_KEY_${at}`] ?? ""),
    value: env[`GIT_CONFIG_VALUE_${at}`] ?? "",
  }));
  const parameters = [...(env["GIT_CONFIG_PARAMETERS"] ?? "").matchAll(PARAMETER)].slice(0, MOST_VARIABLES);
  const given = parameters.map(([, key = "", old = "", value = old]) => ({ key: keyOf(key), value }));
  const named = NAME_PROGRAMS.map((name) => ({ key: `variable.${name}`, value: env[name] ?? "" }));
  return [...counted, ...given, ...named, { key: "init.templatedir", value: env["GIT_TEMPLATE_DIR"] ?? "" }];
}

function keyOf(key: string): string {
  const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
  return first < 0
    ? ""
    : key.slice(0, first).toLowerCase() + key.slice(first, last) + key.slice(last).toLowerCase();
}

export function resolveFromFolder(path: string, folder: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : resolve(folder, path);
}

export class FileStamps {
  readonly #stamps = new Map<string, string>();

  /** Must be called before the path is read. */
  record(path: string): void {
    if (!this.#stamps.has(path)) this.#stamps.set(path, stampOf(path));
  }

  haveChanged(): boolean {
    for (const [path, stamp] of this.#stamps) if (stampOf(path) !== stamp) return true;
    return false;
  }
}

function stampOf(path: string): string {
  const stats = attempt(() => statSync(path, { bigint: true, throwIfNoEntry: false }));
  if (stats === undefined) return "";
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(":");
}
