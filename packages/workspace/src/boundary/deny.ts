import { isWithin } from "../system/is-within.ts";
import { loadPicomatch } from "./load-picomatch.ts";

/**
 * Where credentials live. Nothing here is ordinary project work: `.env`, `*.pem`, a project's own `.npmrc`
 * or an `.aws/` folder with deployment templates stay readable; add patterns of your own to deny those.
 */
export const CREDENTIAL_PATTERNS: readonly string[] = [
  "**/.ssh",
  "**/.gnupg",
  "**/.password-store",
  "**/id_{rsa,dsa,ecdsa,ed25519,ecdsa_sk,ed25519_sk}",
  "**/.aws/{credentials,cli,sso}",
  "**/.config/{gcloud,gh,op}",
  "**/.kube/{config,cache}",
  "**/.docker/config.json",
  "**/{.netrc,_netrc,.git-credentials,.pgpass,.pypirc}",
  "~/.azure",
  "~/.npmrc",
  "~/.config/git/credentials",
  "~/.cargo/credentials{,.toml}",
  "~/.gem/credentials",
  "~/.terraform.d/credentials.tfrc.json",
  "~/Library/Keychains",
  "/etc/{shadow,gshadow}{,-}",
  "/proc/*/{environ,mem}",
  "/proc/*/task/*/{environ,mem}",
];

/**
 * What may be read and not changed. Git runs what its folder configures (hooks, filters, editors, pagers, a
 * `.git` file that names another folder), so a file written there is a command that the next `git` starts.
 */
export const READ_ONLY_PATTERNS: readonly string[] = ["**/.git"];

/** Decides on absolute real paths. Case and Unicode composition never matter: some file systems ignore them. */
export interface DenyList {
  /** Does a pattern cover this path, or a folder it lies in? */
  denies(path: string): boolean;
  /** Would moving this folder take covered files out of reach of their pattern? */
  pins(path: string): boolean;
}

/** What patterns are relative to. All real paths. */
export interface PatternPlaces {
  root: string;
  home: string;
  /** All roots of the workspace; `root` alone by default. */
  roots?: readonly string[];
  /** Does a root whose own name matches count as well? What is above it never does. */
  rootNames?: boolean;
}

/**
 * Patterns are globs with `*`, `**`, `?`, `[]` and `{}`. A pattern with no slash, or one that starts with
 * two stars and a slash, matches at any depth below a root, and never the root itself or a folder above it: where a
 * project lies says nothing about what is in it. Of what is in several roots the outermost counts; what is in none
 * (in a workspace without a boundary) counts from `/`. `/x` is absolute, `~/x` under the home folder, anything else
 * relative to `root`. A pattern that matches a folder covers everything in it.
 *
 * The built-in patterns for credentials and `.git` match the whole path: a root inside of `~/.ssh` is closed.
 */
export function createDenyList(patterns: readonly string[], places: PatternPlaces): DenyList {
  let compiled: Compiled | undefined;
  // Compiled at the first question, because of what it loads.
  const expressions = () => (compiled ??= compile(patterns, places));
  const { roots = [places.root], rootNames = false } = places;
  const ask = (path: string, kind: "denied" | "pinned"): boolean => {
    const { whole, below } = expressions();
    return (
      whole[kind]?.test(path.normalize("NFC")) === true ||
      below[kind]?.test(belowRoot(path, roots, rootNames).normalize("NFC")) === true
    );
  };
  // One call asks about the same few paths many times, and patterns never change.
  const known = new Map<string, boolean>();
  const denies = (path: string): boolean => {
    let answer = known.get(path);
    if (answer === undefined) {
      if (known.size >= MOST_KNOWN) known.clear();
      known.set(path, (answer = ask(path, "denied")));
    }
    return answer;
  };
  return { denies, pins: (path) => ask(path, "pinned") };
}

/** Paths whose answer is kept. */
const MOST_KNOWN = 256;

/** The part of a path that is below the outermost root around it, or begins with its name; all of it when there is none. */
function belowRoot(path: string, roots: readonly string[], withName: boolean): string {
  const around = roots.filter((root) => root !== "/" && isWithin(path, root));
  if (around.length === 0) return path;
  const outermost = path.slice(0, Math.min(...around.map((root) => root.length)));
  return path.slice(withName ? outermost.lastIndexOf("/") : outermost.length);
}

/** Whose patterns mean what they say wherever it is. */
const BUILT_IN: ReadonlySet<string> = new Set([...CREDENTIAL_PATTERNS, ...READ_ONLY_PATTERNS]);

const GLOB_OPTIONS = { maxLength: 4096, dot: true, nonegate: true };

interface Expressions {
  denied: RegExp | undefined;
  pinned: RegExp | undefined;
}

interface Compiled {
  /** Of whole paths. */
  whole: Expressions;
  /** Of what is below a root. */
  below: Expressions;
}

interface Rule {
  anywhere: boolean;
  /** Asked about what is below a root alone. */
  below: boolean;
  /** Path segments, globs still in them. */
  segments: readonly string[];
}

const NONE: Expressions = { denied: undefined, pinned: undefined };

function compile(patterns: readonly string[], places: PatternPlaces): Compiled {
  const rules = patterns.map((pattern) => parseRule(pattern, places));
  return {
    whole: expressionsOf(rules.filter(({ below }) => !below)),
    below: expressionsOf(rules.filter(({ below }) => below)),
  };
}

function expressionsOf(rules: readonly Rule[]): Expressions {
  if (rules.length === 0) return NONE;
  const glob = loadPicomatch();
  const source = (segments: readonly string[]): string => glob.parse(segments.join("/"), GLOB_OPTIONS).output;
  const leading = rules.flatMap((rule) =>
    rule.segments.slice(1).map((_, index) => ({ ...rule, segments: rule.segments.slice(0, index + 1) })),
  );
  // A moved folder carries its contents along, so only the folder itself is asked about.
  return { denied: combine(rules, source, "(?:/|$)"), pinned: combine(leading, source, "$") };
}

function parseRule(pattern: string, places: PatternPlaces): Rule {
  const clean = pattern.normalize("NFC").replace(/\/(?:\*\*)?$/, "");
  const anywhere = clean.startsWith("**/") || !clean.includes("/");
  const absolute = anywhere
    ? clean.replace(/^(?:\*\*\/)+/, "")
    : clean.startsWith("~/")
      ? escapeGlob(places.home) + clean.slice(1)
      : clean.startsWith("/")
        ? clean
        : `${escapeGlob(places.root)}/${clean}`;
  return { anywhere, below: anywhere && !BUILT_IN.has(pattern), segments: splitSegments(absolute) };
}

/** Splits at slashes outside braces: `{a,b/c}` stays whole. */
function splitSegments(pattern: string): string[] {
  return pattern.match(/(?:\{[^}]*\}|\\.|[^/])+/g) ?? [];
}

function combine(
  rules: readonly Rule[],
  source: (s: readonly string[]) => string,
  end: string,
): RegExp | undefined {
  const alternatives = (anywhere: boolean): string[] => {
    const chosen = rules.filter((rule) => rule.anywhere === anywhere).map((rule) => source(rule.segments));
    return chosen.length === 0 ? [] : [`${anywhere ? "/" : "^/"}(?:${chosen.join("|")})${end}`];
  };
  const all = [...alternatives(true), ...alternatives(false)];
  return all.length === 0 ? undefined : new RegExp(all.join("|"), "i");
}

/** A pattern for this path alone, and what is in it. */
export function escapeGlob(path: string): string {
  return path.normalize("NFC").replace(/[\\*?[\]{}()!+@|]/g, "\\$&");
}
