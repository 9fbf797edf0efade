import { baseName, isReadOnlyCommand, type TemplateCommand } from "@haft/commands";
import { compileWildcard, matchesWildcard } from "@haft/utils";
import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { resolveRealPath } from "../subjects/real-path.ts";

/** Describes a command that can remove or replace files without naming them. */
export interface Removal {
  /** Names the absolute folder or file. */
  path: string;
  /** Returns whether the command can match a file below the path. */
  matches: (file: string) => boolean;
}

/** With names from other commands, they can remove or replace any file of the folder. */
const FED = /^(?:rm|mv|trash|shred|srm|unlink|truncate|tee|sed|perl)$/;
const GIT_VALUES = /^(?:-[cC]|--(?:git-dir|work-tree|namespace|exec-path|super-prefix|config-env))$/;
/** One pattern for both words would be slow. */
const IN_TEXT: readonly (readonly [RegExp, RegExp])[] = [
  [/\bgit\b/, /\b(?:clean|stash)\b/],
  [/\bfind\b/, /-delete\b|-exec/],
];

/** @param isFed Tells whether another command of the line changes the files that `find` finds. */
export function listRemovals(command: TemplateCommand, isFed: boolean): Removal[] {
  const { name, argv, cwd, open, through } = command;
  const program = baseName(name);
  const at = (word: string) => resolveRealPath(resolve(cwd, word));
  const whole = (path: string): Removal => ({ path, matches: () => true });
  if (program === "git") return gitRemovals(argv.slice(1), cwd).map(whole);
  if (program === "find" || program === "gfind") return findRemovals(argv.slice(1), cwd, isFed);
  if (isReadOnlyCommand(command)) return [];
  const words = argv.slice(1).filter((word) => !word.startsWith("-"));
  if (open === true && through.includes("xargs") && FED.test(program)) return isFed ? [] : [whole(cwd)];
  switch (program) {
    case "rm":
    case "trash":
    case "shred":
    case "srm":
      return words.map(at).map(whole);
    case "mv":
      return words.slice(0, -1).map(at).map(whole);
    case "rsync":
      return argv.some((word) => word.startsWith("--del")) ? words.slice(-1).map(at).map(whole) : [];
    case "fd":
    case "fdfind":
      // Without this option, it omits hidden folders.
      return argv.some((word) => /^-[A-Za-z]*[Hu]|^--(?:hidden|unrestricted)/.test(word))
        ? [cwd, ...words.map(at)].map(whole)
        : [];
    default:
      return [];
  }
}

/** For text that cannot be parsed. */
export function mayRemove(text: string): boolean {
  return text
    .split(/[\n;&|]/)
    .some((part) => IN_TEXT.some((words) => words.every((word) => word.test(part))));
}

function gitRemovals(args: readonly string[], from: string): string[] {
  let folder = from;
  let tree: string | undefined;
  let at = 0;
  for (; args[at]?.startsWith("-") === true; at++) {
    const word = args[at]!;
    if (word === "-C") folder = resolveRealPath(resolve(folder, args[at + 1] ?? ""));
    else if (word === "--work-tree") tree = args[at + 1];
    else if (word.startsWith("--work-tree=")) tree = word.slice("--work-tree=".length);
    if (GIT_VALUES.test(word)) at += 1;
  }
  const top = tree === undefined ? findTop(folder) : resolveRealPath(resolve(folder, tree));
  const [name = "", ...rest] = args.slice(at);
  const end = rest.indexOf("--");
  const options = (end < 0 ? rest : rest.slice(0, end)).filter((word) => word.startsWith("-"));
  const operands = rest.filter((word, index) => !word.startsWith("-") || (end >= 0 && index > end));
  const has = (pattern: RegExp) => options.some((word) => pattern.test(word));
  const named = (words: readonly string[], otherwise: string): string[] =>
    words.length === 0
      ? [otherwise]
      : words.map((word) => resolveRealPath(resolvePathspec(word, folder, top)));
  // These take back another option.
  const isOnly = (pattern: RegExp) => has(pattern) && !has(/^--no-/);
  switch (name) {
    case "clean":
      if (isOnly(/^-[dfqxX]*n|^--dry/)) return [];
      // The value of -e is a pattern.
      return has(/^-[a-z]*e|^--e/) ? [folder] : named(operands, folder);
    case "stash":
      return /^(?:list|show|drop|clear|create|store|export)$/.test(rest[0] ?? "") ? [] : [top];
    case "reset":
      return has(/^--(?:h|me|k)/) ? [top] : [];
    case "switch":
      return has(/^-[a-z]*f|^--(?:f|di)/) ? [top] : [];
    case "restore":
      return isOnly(/^-[qS]*S$|^--st/) && !has(/^-[A-Za-z]*W|^--w/)
        ? []
        : has(/^--pathspec-from/)
          ? [top]
          : named(operands, top);
    case "checkout":
      return listCheckedOut(rest, { has, end, operands, top, folder, named });
    case "rm":
      return isOnly(/^--c|^-[frq]*n|^--dry/) ? [] : has(/^--pathspec-from/) ? [top] : named(operands, top);
    case "mv":
      return named(operands.slice(0, -1), top);
    case "checkout-index":
    case "read-tree":
    case "sparse-checkout":
      return [top];
    case "worktree":
      return operands[0] === "remove" || operands[0] === "move" ? named(operands.slice(1), top) : [];
    default:
      return [];
  }
}

interface CheckoutFacts {
  has: (pattern: RegExp) => boolean;
  end: number;
  operands: readonly string[];
  top: string;
  folder: string;
  named: (words: readonly string[], otherwise: string) => string[];
}

/** A change of the branch keeps changed files. */
function listCheckedOut(
  rest: readonly string[],
  { has, end, operands, top, folder, named }: CheckoutFacts,
): string[] {
  if (has(/^-[a-z]*f|^--(?:force|pathspec-from)/)) return [top];
  if (end >= 0) return named(rest.slice(end + 1), top);
  const paths = operands.filter(
    (word, at) => at > 0 || /^\.|^:|[*?[]/.test(word) || existsSync(resolve(folder, word)),
  );
  return paths.length === 0 || has(/^-[bB]$|^--(?:orphan|detach|track)/) ? [] : named(paths, top);
}

/** The part before a pattern counts. */
function resolvePathspec(word: string, folder: string, top: string): string {
  const magic = /^:(?:\/|\([^)]*\)|[!^]+)?/.exec(word)?.[0] ?? "";
  if (/[!^]|exclude/.test(magic)) return top;
  const path = word.slice(magic.length);
  const isOfTop = magic === ":/" || magic.includes("top");
  const known = path.replace(/[^/]*[*?[\\].*$/s, "");
  return resolve(isOfTop ? top : folder, known === "" ? "." : known);
}

function findTop(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (at === dirname(at)) return folder;
  }
}

function findRemovals(args: readonly string[], cwd: string, isFed: boolean): Removal[] {
  const first = args.findIndex((word) => /^-(?![HLP]$|[DO])|^[(!]$/.test(word));
  const expression = first < 0 ? [] : args.slice(first);
  if (!isFed && !expression.includes("-delete")) return [];
  const starts = (first < 0 ? args : args.slice(0, first)).filter((word) => !word.startsWith("-"));
  return (starts.length === 0 ? ["."] : starts).map((start) => {
    const path = resolveRealPath(resolve(cwd, start));
    return { path, matches: (file) => findMatches(expression, { path, start, file }) };
  });
}

/** Returns false only if tests exclude the file and all folders above it. */
function findMatches(
  expression: readonly string[],
  { path, start, file }: { path: string; start: string; file: string },
): boolean {
  if (expression.some((word) => /^(?:!|-not|,|-files0-from)$/.test(word))) return true;
  const parts = relative(path, file).split("/");
  const prefix = start.endsWith("/") ? start : `${start}/`;
  const below = parts.map((_, at) => prefix + parts.slice(0, at + 1).join("/"));
  const names = [baseName(start), ...parts];
  return [start, ...below].some((item, at) => !isExcluded(expression, item, names[at]!));
}

/** Without negation, a false test in each alternative, before its action, makes the whole expression false. */
function isExcluded(expression: readonly string[], path: string, name: string): boolean {
  let isOut = false;
  for (let at = 0; at < expression.length; at++) {
    const word = expression[at]!;
    if (/^-(?:o|or|delete|exec|execdir|ok|okdir)$/.test(word)) {
      if (!isOut) return false;
      if (word.startsWith("-o") && !word.startsWith("-ok")) isOut = false;
    } else if (word === "-empty") isOut = true;
    else if (/^-i?(?:name|path|wholename)$/.test(word)) {
      const item = /^-i?name$/.test(word) ? name : path;
      if (!matchesGlob(expression[++at] ?? "", item, word.startsWith("-i"))) isOut = true;
    }
  }
  return isOut;
}

/** A set of characters, and `?`, count as any text: then the file counts as found. */
function matchesGlob(glob: string, text: string, ignoresCase: boolean): boolean {
  const wider = glob.replaceAll(/(?<!\\)(?:\[[^\]]*\]|\?)/g, "*");
  const [pattern, item] = ignoresCase ? [wider.toLowerCase(), text.toLowerCase()] : [wider, text];
  return matchesWildcard(compileWildcard(pattern), item);
}
