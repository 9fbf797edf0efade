import { baseName, type CommandTemplate, isReadOnlyCommand, type TemplateCommand } from "@haft/commands";
import { readRegularFile } from "@haft/system";
import { asRecord } from "@haft/utils";
import { dirname, join, resolve } from "node:path";
import type { ProtectedPaths } from "./protected-paths.ts";

export const MANAGER = /^(?:c?npm|npm-cli\.[cm]?js|pnpm|pnpm\.cjs|yarn|yarn\.js|bun)(?:@[^/]*)?$/;
const CHANGES =
  /^(?:i|in|isntall|inst\w*|add|ci|clean-install|ic|it|cit|install-(?:ci-)?test|update|up|upgrade|udpate|link|ln|dedupe|ddp|rebuild|rb|prune|rm|r|un|unlink|uninstall|remove|import|fetch|deploy)$/;
const OTHERS =
  /^(?:run|run-script|rum|urn|test|t|tst|start|stop|restart|exec|x|dlx|create|init|innit|ls|list|ll|la|view|info|show|v|why|explain|outdated|pack|publish|config|c|get|set|search|version|cache|root|prefix|bin|help|help-search|whoami|login|logout|doctor|fund|audit|node|store|licenses|query|pkg|repo|docs|bugs)$/;
const GLOBAL = /^(?:-\w*g|--global|--location=global)$/;
const OF_HAFT = /^(?:haft$|haft@|@haft\/|npm:haft(?:@|$)|npm:@haft\/)/;
/** Only these name a package of the registry. An alias keeps its own name. */
const REGISTRY = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*(?:@(?:[\w.^~<>=|* -]+|npm:[^:]+))?$/;
const FOLDER = /^(?:-C|--dir|--prefix|--cwd)$/;
const IS_HAFT = /^(?:haft|@haft\/.*)$/;
const MAX_BYTES = 1024 * 1024;

/** States how a package manager could replace the program of the guard. */
export interface PackageChange {
  /** If true, no policy can allow it. */
  isHaft: boolean;
  reason: string;
}

export function findPackageChange(
  { commands }: CommandTemplate,
  { programs = [], home }: ProtectedPaths,
): PackageChange | undefined {
  const isAlone = commands.every((command) => isManager(command) || isReadOnlyCommand(command));
  let found: PackageChange | undefined;
  for (const command of commands) {
    const change = changeBy(command, { programs, home, isAlone });
    if (change?.isHaft === true) return change;
    found ??= change;
  }
  return found;
}

const NAMED = /\b(?:npm|pnpm|yarn|bun)\b/;
const CHANGED = /\s(?:-\w*g|--global|--location=global|global)(?=\s|$)|\slink\b/;

/** For text that cannot be parsed. One pattern for both words would be slow. */
export function mayChangePackages(text: string): boolean {
  return text.split(/[\n;&|]/).some((part) => NAMED.test(part) && CHANGED.test(part));
}

function isManager(command: TemplateCommand): boolean {
  return managerAt(command) >= 0;
}

/** Runtimes and `corepack` start a manager that their words name. */
function managerAt({ argv, carrier, name }: TemplateCommand): number {
  if (MANAGER.test(baseName(name))) return 0;
  const isStarter = carrier !== undefined || /^(?:corepack|node|bun|npx)$/.test(baseName(name));
  return isStarter ? argv.findIndex((word, at) => at > 0 && MANAGER.test(baseName(word))) : -1;
}

interface Place {
  programs: readonly string[];
  home: string;
  isAlone: boolean;
}

function changeBy(command: TemplateCommand, { programs, home, isAlone }: Place): PackageChange | undefined {
  const at = managerAt(command);
  if (at < 0) return undefined;
  const manager = baseName(command.argv[at]!).replace(/\W.*$/, "");
  const rest = command.argv.slice(at + 1);
  const plain = rest.filter((word, index) => !word.startsWith("-") && !FOLDER.test(rest[index - 1] ?? ""));
  const isYarnGlobal = manager === "yarn" && plain[0] === "global";
  const verbAt = findVerb(rest, plain);
  const verb = plain[verbAt] ?? (manager === "yarn" && plain.length === 0 ? "install" : "");
  const named = plain.slice(verbAt + 1);
  if (!CHANGES.test(verb)) return undefined;
  const isLink = /^(?:link|ln)$/.test(verb);
  const isGlobal =
    isYarnGlobal ||
    rest.some((word, index) => GLOBAL.test(word) || (rest[index - 1] === "--location" && word === "global"));
  const folder = resolve(command.cwd, folderIn(rest) ?? ".");
  if (isGlobal || isLink) {
    if (isGlobal && rest.some((word) => /^(?:-f|--force|-\w*f\w*)$/.test(word)))
      return { isHaft: false, reason: `${manager} ${verb} with --force can replace the command haft` };
    const specs = named.length > 0 ? named : /^(?:up\w*|udpate)$/.test(verb) ? ["*"] : ["."];
    for (const spec of isGlobal && /^(?:r|rm|un\w*|remove|prune|rebuild|rb)$/.test(verb) ? named : specs) {
      const change = changeBySpec(spec, { folder, home, isAlone, isGlobal });
      if (change !== undefined) return change;
    }
    if (isGlobal) return undefined;
  }
  return liesBelow(programs, folder)
    ? {
        isHaft: false,
        reason: `${manager} ${verb} can replace the installed Haft, which decides about calls`,
      }
    : undefined;
}

/** A word after an option can be its value. */
function findVerb(rest: readonly string[], plain: readonly string[]): number {
  const at = plain.findIndex(
    (word) =>
      (CHANGES.test(word) || OTHERS.test(word)) && !/^-[^=]*$/.test(rest[rest.indexOf(word) - 1] ?? ""),
  );
  return at < 0 ? plain.findIndex((word) => CHANGES.test(word)) : at;
}

function changeBySpec(
  spec: string,
  { folder, home, isAlone, isGlobal }: { folder: string; home: string; isAlone: boolean; isGlobal: boolean },
): PackageChange | undefined {
  if (OF_HAFT.test(spec) && isGlobal) return { isHaft: true, reason: "" };
  const unknown = {
    isHaft: false,
    reason: `The content of ${spec === "*" ? "this update" : spec} is not known, and it can replace the installed Haft, which decides about calls`,
  };
  if (spec === "*") return unknown;
  if (REGISTRY.test(spec) && !/\.(?:t?gz|tar)$/.test(spec) && !spec.startsWith(".")) return undefined;
  const path = spec.replace(/^(?:file|link|portal):(?:\/\/)?/, "").replace(/^~(?=\/|$)/, home);
  const name = nameIn(resolve(folder, path));
  if (name !== undefined && IS_HAFT.test(name)) return { isHaft: true, reason: "" };
  // Another command of the line can change the name first.
  return name === undefined || !isAlone ? unknown : undefined;
}

/** A package with the command `haft` counts as Haft. */
function nameIn(folder: string): string | undefined {
  try {
    const text = readRegularFile(join(folder, "package.json"), { maxBytes: MAX_BYTES, followLink: true });
    const { name, bin } = JSON.parse(text.toString("utf8")) as { name?: unknown; bin?: unknown };
    if (Object.hasOwn(asRecord(bin), "haft")) return "haft";
    return typeof name === "string" && name !== "" ? name : undefined;
  } catch {
    return undefined;
  }
}

function folderIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => FOLDER.test(word));
  const attached = words.flatMap((word) => /^(?:--dir|--prefix|--cwd)=(.+)$/.exec(word)?.[1] ?? [])[0];
  return at < 0 ? attached : words[at + 1];
}

/** A manager uses the nearest folder with packages. */
function liesBelow(programs: readonly string[], folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    const packages = join(at, "node_modules");
    if (programs.some((path) => path.startsWith(`${packages}/`))) return true;
    if (at === dirname(at)) return false;
  }
}
