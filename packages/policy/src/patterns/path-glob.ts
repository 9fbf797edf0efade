import type { PathSubject } from "@haft/core";
import { type PatternProblem, textProblem } from "./pattern-problem.ts";
import { compileWildcard, matchesWildcard } from "./wildcard.ts";

/**
 * A pattern for paths. `*` and `?` stay within one name, `**` as a whole name stands for any
 * folders (also none), `{a,b}` for either; names that begin with a dot are like others. With a `/`
 * in front it is compared with the absolute path, otherwise with the path in its root.
 * `src/**` covers `src` itself, too.
 */
export interface PathGlob {
  readonly absolute: boolean;
  readonly fold: boolean;
  readonly alternatives: readonly (readonly Segment[])[];
}

/** Any folders, or what one name has to be. */
type Segment = "**" | ((name: string) => boolean);

/** A character of a pattern: with its special meaning, or (escaped) as it is. */
interface Token {
  readonly char: string;
  readonly literal: boolean;
}

/** What `{…}` may multiply to. */
const maxAlternatives = 64;
const maxLength = 1000;

/**
 * @param fold compare without regard to case and Unicode form. Where files are told apart by
 * neither, a rule that holds back would otherwise be passed by writing a name differently.
 */
export function compilePathGlob(pattern: string, fold: boolean): PathGlob | PatternProblem {
  const shown = JSON.stringify(pattern);
  const problem = textOf(pattern);
  if (problem) return problem;
  const absolute = pattern.startsWith("/");
  const tokens = tokenise(fold ? folded(pattern) : pattern);
  if ("message" in tokens) return { ...tokens, message: `${shown} ${tokens.message}` };
  const expanded = expand(absolute ? tokens.slice(1) : tokens);
  if ("message" in expanded) return { message: `${shown} ${expanded.message}` };
  const alternatives: Segment[][] = [];
  for (const alternative of expanded) {
    const segments = segmentsOf(alternative);
    if ("message" in segments) {
      const nearest = respelled(pattern);
      return {
        message: `${shown} ${segments.message}`,
        ...(nearest === undefined ? {} : { nearest: [nearest] }),
      };
    }
    alternatives.push(segments);
  }
  return { absolute, fold, alternatives };
}

/** What can be told from the text alone. */
function textOf(pattern: string): PatternProblem | undefined {
  const shown = JSON.stringify(pattern);
  if (pattern === "") return { message: "A path pattern is missing." };
  if (pattern.length > maxLength) return { message: `A path pattern has at most ${maxLength} characters.` };
  if (/^\s|(?<!\\)\s$/.test(pattern)) {
    const message = `${shown} begins or ends with a space; write \\ in front of one that is meant.`;
    return { message, nearest: [pattern.trim()].filter(Boolean) };
  }
  const problem = textProblem(pattern);
  if (problem) return problem;
  if (pattern.startsWith("~")) return { message: `${shown}: ~ is not expanded; write the path out.` };
  if (/^(?:\$\w|\$\{|%\w+%)/.test(pattern)) {
    return { message: `${shown}: variables are not expanded; write the path out (\\$ means the character).` };
  }
  if (pattern.startsWith("!")) {
    return {
      message: `${shown}: there are no exceptions by !; a rule says what it is for (\\! means the character).`,
    };
  }
  const prefix = /^[A-Za-z][\w+.-]*:(?:\/\/)?/.exec(pattern)?.[0];
  if (prefix !== undefined) {
    const message = `${shown}: names of roots, drives and schemes are no part of a path pattern; it is relative to its root, or absolute with a / in front (\\: means the character).`;
    return { message, nearest: [pattern.slice(prefix.length)].filter(Boolean) };
  }
  return undefined;
}

/** The same path without what no path has. */
function respelled(pattern: string): string | undefined {
  const inner = pattern.replaceAll(/\/(?:\.?\/)+/g, "/").replace(/^(?:\.\/)+/, "");
  const spelled = inner.replace(/\/\.?$/, "/**").replace(/^\.$/, "**");
  return spelled === "" || spelled === pattern || /(?:^|\/)\.\.?(?:\/|$)/.test(spelled) ? undefined : spelled;
}

/** How a pattern and a path relate. */
export interface PathMatch {
  /** The path itself matches. */
  readonly itself: boolean;
  /** Something below it could match. */
  readonly some: boolean;
  /** All below it matches. */
  readonly all: boolean;
}

export function matchPath(glob: PathGlob, { path, relative }: PathSubject): PathMatch {
  const text = glob.absolute ? path : relative;
  const names = (glob.fold ? folded(text) : text).split("/").filter((name) => name !== "" && name !== ".");
  let [itself, some, all] = [false, false, false];
  for (const segments of glob.alternatives) {
    const reached = walk(segments, names);
    itself ||= reached[segments.length] === true;
    all ||= segments.at(-1) === "**" && reached[segments.length - 1] === true;
    some ||= reached.some((alive, at) => alive && at < segments.length);
  }
  return { itself, some, all };
}

/** A pattern that matches this path alone. */
export function escapePath(path: string): string {
  return path.replaceAll(/[*?[\](){}\\]|^[\s!$%~"'`]|[\s"'`]$|:|,(?=\s*\w+:)/g, "\\$&");
}

/** Which places of the pattern are reached once all names are used up. Every name meets every place once at most. */
function walk(segments: readonly Segment[], names: readonly string[]): boolean[] {
  let reached = pass(segments, [true]);
  for (const name of names) {
    const next: boolean[] = [];
    for (const [at, segment] of segments.entries()) {
      if (!reached[at]) continue;
      if (segment === "**") next[at] = true;
      else if (segment(name)) next[at + 1] = true;
    }
    reached = pass(segments, next);
  }
  return reached;
}

/** `**` may stand for nothing. */
function pass(segments: readonly Segment[], reached: boolean[]): boolean[] {
  for (const [at, segment] of segments.entries()) {
    if (reached[at] && segment === "**") reached[at + 1] = true;
  }
  return reached;
}

function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

function tokenise(pattern: string): Token[] | PatternProblem {
  const tokens: Token[] = [];
  const chars = Array.from(pattern);
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]!;
    if (char === "\\") {
      const next = chars[++at];
      if (next === undefined) return { message: "ends with a backslash." };
      if (/[A-Za-z0-9]/.test(next)) {
        const nearest = [pattern.replaceAll(/\\(?=[A-Za-z0-9])/g, "/")];
        return { message: `has \\${next}, which is just ${next}; names are separated by /.`, nearest };
      }
      tokens.push({ char: next, literal: true });
    } else if (char === "[" || char === "]") {
      return {
        message: `has ${char}: sets of characters are not known here; write {a,b}, or \\${char} for the character.`,
      };
    } else tokens.push({ char, literal: !"*?{},/".includes(char) });
  }
  return tokens;
}

function expand(tokens: readonly Token[]): Token[][] | { message: string } {
  const open = tokens.findIndex((token) => is(token, "{"));
  const close = tokens.findIndex((token) => is(token, "}"));
  if (open < 0) return close < 0 ? [[...tokens]] : { message: "has a } without {." };
  const parts: Token[][] = [[]];
  let depth = 1;
  let end = open + 1;
  for (; end < tokens.length; end++) {
    const token = tokens[end]!;
    if (is(token, "{")) depth++;
    else if (is(token, "}") && --depth === 0) break;
    if (depth === 1 && is(token, ",")) parts.push([]);
    else parts.at(-1)!.push(token);
  }
  if (depth > 0 || close < open)
    return { message: close < open && close >= 0 ? "has a } without {." : "has a { without }." };
  if (parts.length < 2) return { message: "has {…} with a single alternative." };
  const expanded: Token[][] = [];
  for (const part of parts) {
    const rest = expand([...tokens.slice(0, open), ...part, ...tokens.slice(end + 1)]);
    if ("message" in rest) return rest;
    expanded.push(...rest);
    if (expanded.length > maxAlternatives)
      return { message: `stands for more than ${maxAlternatives} patterns.` };
  }
  return expanded;
}

function segmentsOf(tokens: readonly Token[]): Segment[] | { message: string } {
  const names: Token[][] = [[]];
  for (const token of tokens) {
    if (token.char === "/") names.push([]);
    else names.at(-1)!.push(token);
  }
  const segments: Segment[] = [];
  for (const name of names) {
    const text = name.map(({ char }) => char).join("");
    if (text === "") return { message: "has an empty name; for everything in a folder end it with /**." };
    if (text === "." || text === "..") {
      return {
        message: `has the name ${text}; write the path without it, and one outside of its root with a / in front.`,
      };
    }
    const stars = name.some(
      (token, at) => is(token, "*") && name[at + 1] !== undefined && is(name[at + 1]!, "*"),
    );
    if (stars && !(name.length === 2 && is(name[0]!, "*"))) {
      return {
        message: "has ** beside other characters; ** stands alone between slashes, * stays in one name.",
      };
    }
    segments.push(stars ? "**" : nameMatcher(name));
  }
  return segments;
}

function nameMatcher(tokens: readonly Token[]): (name: string) => boolean {
  if (tokens.some((token) => is(token, "?"))) return (name) => matchesTokens(tokens, Array.from(name));
  const escaped = tokens.map(({ char, literal }) =>
    literal && (char === "*" || char === "\\") ? `\\${char}` : char,
  );
  const wildcard = compileWildcard(escaped.join(""));
  return (name) => matchesWildcard(wildcard, name);
}

/** `?` is one character. Never looks back past the last star. */
function matchesTokens(tokens: readonly Token[], text: readonly string[]): boolean {
  let [at, position, star, resume] = [0, 0, -1, 0];
  while (position < text.length) {
    const token = tokens[at];
    if (token !== undefined && is(token, "*")) {
      star = at++;
      resume = position;
    } else if (token !== undefined && (is(token, "?") || token.char === text[position])) {
      at++;
      position++;
    } else if (star >= 0) {
      at = star + 1;
      position = ++resume;
    } else return false;
  }
  return tokens.slice(at).every((token) => is(token, "*"));
}

function is(token: Token, special: string): boolean {
  return !token.literal && token.char === special;
}
