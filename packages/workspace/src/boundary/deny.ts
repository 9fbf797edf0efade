import { compilePathPattern, type PathPattern, invalidOptions } from "@haft/core";
import { isWithin } from "@haft/system";
import { CREDENTIALS_ANYWHERE } from "./credential-patterns.ts";
import { PROJECT_SETTINGS, START_FILES } from "./start-files.ts";

/** Lists globs of read-only paths. Git runs what `.git` configures: hooks, filters, editors, pagers. */
export const READ_ONLY_PATTERNS: readonly string[] = ["**/.git"];

/** Ignores case and Unicode composition, because some file systems do. */
export interface DenyList {
  denies(path: string): boolean;
  /** Returns whether a move of this folder would take covered files away from their pattern. */
  pins(path: string): boolean;
}

export interface PatternContext {
  root: string;
  home: string;
  /** Default: only `root`. */
  roots?: readonly string[];
  /** If true, the name of a root itself can match. */
  rootNames?: boolean;
}

/**
 * Compiles patterns with `*`, `**`, `?`, `[]` and `{}`. A pattern without a slash (except at its end), or with `**` and a slash at its
 * start, matches at any depth below a root, never the root or a folder above it. `/x` is absolute, `~/x` is below the home folder, and
 * other patterns are relative to `root`. A path counts from its outermost root, or without a root from `/`. A matching folder covers its
 * content. The built-in patterns match the whole path: a root inside `~/.ssh` is denied.
 * @throws {HaftError} `INVALID_OPTIONS` for an invalid pattern, which would deny nothing
 */
export function createDenyList(given: readonly string[], context: PatternContext): DenyList {
  const sound = new Set<string>();
  for (const pattern of given) if (!KNOWN.has(pattern)) requireMeaning(pattern, sound);
  const patterns = given.map(withoutEmptyNames);
  let compiled: Compiled | undefined;
  const compiledOnce = () => (compiled ??= compile(patterns, context));
  const { rootNames = false } = context;
  const roots = (context.roots ?? [context.root])
    .filter((root) => root !== "/")
    .toSorted((one, other) => one.length - other.length);
  const ask = (path: string, question: (pattern: PathPattern, path: string) => boolean): boolean => {
    const { whole, below } = compiledOnce();
    if (whole && question(whole, path.slice(1))) return true;
    const rest = below ? belowRoot(path, roots, rootNames) : "";
    return below !== undefined && rest !== "" && question(below, rest.slice(1));
  };
  const known = new Map<string, boolean>();
  const denies = (path: string): boolean => {
    let answer = known.get(path);
    if (answer === undefined) {
      if (known.size >= MOST_KNOWN) known.clear();
      known.set(path, (answer = ask(path, covers)));
    }
    return answer;
  };
  return { denies, pins: (path) => ask(path, begins) };
}

const MOST_KNOWN = 256;

const MOST_CHARACTERS = 4096;
const MOST_ALTERNATIVES = 4096;

const covers = (pattern: PathPattern, path: string) => pattern.covers(path);
const begins = (pattern: PathPattern, path: string) => pattern.relate(path).anchored;

/** Returns the part below the outermost root (`withName`: from its name), or the whole path. */
function belowRoot(path: string, roots: readonly string[], withName: boolean): string {
  const outermost = roots.find((root) => isWithin(path, root));
  if (outermost === undefined) return path;
  return path.slice(withName ? outermost.lastIndexOf("/") : outermost.length);
}

const BUILT_IN: ReadonlySet<string> = new Set([...CREDENTIALS_ANYWHERE, ...READ_ONLY_PATTERNS]);

/** These patterns are valid and need no check. */
const KNOWN: ReadonlySet<string> = new Set([...BUILT_IN, ...START_FILES, ...PROJECT_SETTINGS]);

interface Compiled {
  whole: PathPattern | undefined;
  below: PathPattern | undefined;
}

function compile(patterns: readonly string[], context: PatternContext): Compiled {
  const isBelow = (pattern: string) => isAnywhere(pattern) && !BUILT_IN.has(pattern);
  const compiled = (chosen: readonly string[]) =>
    chosen.length === 0 ? undefined : compilePatterns(chosen.map((pattern) => fromRoot(pattern, context)));
  return {
    whole: compiled(patterns.filter((pattern) => !isBelow(pattern))),
    below: compiled(patterns.filter(isBelow)),
  };
}

const compiledBefore = new Map<string, PathPattern>();

function compilePatterns(patterns: readonly string[]): PathPattern {
  const key = patterns.join("\0");
  const before = compiledBefore.get(key);
  if (before !== undefined) return before;
  const compiled = compilePathPattern(patterns, { fold: true, mostAlternatives: MOST_ALTERNATIVES });
  if ("problem" in compiled) throw noPattern(patterns.join(", "), compiled.message);
  if (compiledBefore.size >= MOST_KNOWN) compiledBefore.clear();
  compiledBefore.set(key, compiled);
  return compiled;
}

const HOME = /^~\/(?:\*\*)?$/;

function isAnywhere(pattern: string): boolean {
  if (HOME.test(pattern)) return false;
  return pattern.startsWith("**/") || !pattern.replace(/(?<=.)\/$/, "").includes("/");
}

function fromRoot(pattern: string, { root, home }: PatternContext): string {
  const clean = pattern.replace(/(?<=.)\/(?:\*\*)?$/, "");
  const absolute = isAnywhere(pattern)
    ? `**/${clean}`
    : clean.startsWith("~/") || HOME.test(pattern)
      ? escapeGlob(home) + clean.slice(1)
      : clean.startsWith("/")
        ? clean
        : `${escapeGlob(root)}/${clean}`;
  // Before a brace, two stars have always crossed folders.
  return withoutEmptyNames(absolute)
    .replace(/^\//, "")
    .replaceAll(/(^|\/)\*\*(?=\{)/g, "$1{,**/}*");
}

function withoutEmptyNames(pattern: string): string {
  return pattern.replaceAll(/\/(?:\.?\/)+/g, "/");
}

/** Syntax of other matchers, which would silently deny less as plain characters. */
const FOREIGN = /\\.|\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]])*\]|([()|"]|(?<=[\]}])\+|\{[^{},]*\.\.[^{},]*\})/gs;

function requireMeaning(pattern: string, sound: Set<string>): void {
  if (pattern.length > MOST_CHARACTERS)
    throw noPattern(`${pattern.slice(0, 60)}…`, `has more than ${MOST_CHARACTERS} characters`);
  for (const [, sign] of pattern.matchAll(FOREIGN)) {
    if (sign !== undefined) throw noPattern(pattern, `has ${sign}, which is not supported`);
  }
  for (const [, escaped = ""] of pattern.matchAll(/\\(.)/gs)) {
    if (/[A-Za-z0-9]/.test(escaped)) throw noPattern(pattern, `has \\${escaped}, which is just ${escaped}`);
  }
  const first = pattern.search(/[[{]/);
  const rest = pattern.slice(pattern.lastIndexOf("/", first) + 1);
  if (first < 0 || sound.has(rest)) return;
  compilePatterns([pattern]);
  sound.add(rest);
}

function noPattern(pattern: string, why: string): Error {
  const fix = "Use *, **, ?, [a-z] and {a,b}, and \\ before a literal character.";
  return invalidOptions(`Invalid path pattern: ${pattern} ${why}.`, fix);
}

export function escapeGlob(path: string): string {
  return path.normalize("NFC").replace(/[\\*?[\]{}()!+@|"]/g, "\\$&");
}
