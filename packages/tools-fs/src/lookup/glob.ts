import type { HaftError } from "@haft/plugin-sdk";
import { fileToolError } from "../errors.ts";
import { namedClass } from "./posix-classes.ts";

/** Longest pattern taken, and most alternatives its braces may stand for: more are mistakes. */
const MOST_CHARACTERS = 1000;
const MOST_ALTERNATIVES = 256;

/** Any number of folders. */
const ANY_FOLDERS = Symbol("**");
/** Any number of characters. */
const ANY_CHARACTERS = Symbol("*");
/** One character. */
const ANY_CHARACTER = Symbol("?");

interface CharacterClass {
  negated: boolean;
  /** Code points, both ends included. */
  ranges: readonly (readonly [from: number, to: number])[];
}

type Token = string | typeof ANY_CHARACTERS | typeof ANY_CHARACTER | CharacterClass;
type Segment = readonly Token[] | typeof ANY_FOLDERS;

/** A pattern without braces, by path segments. */
export type PathPattern = readonly Segment[];

/**
 * Compiles a glob: `*` and `?` within a name, `[a-z]`, `[!a-z]`, `[[:alpha:]]`, `{a,b}`, `**` across folders, `\`
 * to escape; after a `!` it is about all other paths. Without a slash it is matched against the last name of a path, else against the whole
 * path; names that begin with a dot match like others.
 *
 * Matching takes time in proportion to pattern × path, whatever either holds: patterns come from
 * models and names from strangers' repositories, and translated to a regular expression, a few
 * stars are enough to occupy the host for hours.
 */
export function compileGlob(glob: string): (path: string) => boolean {
  if (glob.length > MOST_CHARACTERS) throw invalid(glob.slice(0, 60), `it has ${glob.length} characters`);
  if (glob.startsWith("!")) {
    const matches = compileGlob(glob.slice(1));
    return (path) => !matches(path);
  }
  if (hasOpenBrace(glob)) throw invalid(glob, "a { is never closed");
  const patterns = expandBraces(glob).map((alternative): PathPattern => {
    const pattern = parsePattern(alternative.replace(/^(?:\.?\/)+/, ""));
    if (pattern === undefined) throw invalid(glob, "a [ is never closed, or holds a class there is not");
    return alternative.includes("/") ? pattern : [ANY_FOLDERS, ...pattern];
  });
  return (path) => {
    const names = path.split("/");
    return patterns.some((pattern) => matchPath(pattern, names));
  };
}

/** Parses a pattern without braces; `undefined` when a bracket is never closed or holds an unknown class. */
export function parsePattern(text: string): PathPattern | undefined {
  const segments = text.split("/").map((part) => (part === "**" ? ANY_FOLDERS : parseSegment(part)));
  return segments.includes(undefined) ? undefined : (segments as PathPattern);
}

/** Whether the pattern covers the whole path. `**` stands for no folder too, but at the end for at least one name. */
export function matchPath(pattern: PathPattern, names: readonly string[]): boolean {
  const last = pattern.length - 1;
  return matchSequence(pattern, names, {
    isAny: (segment) => segment === ANY_FOLDERS,
    matches: (segment, name) => segment !== ANY_FOLDERS && matchName(segment, name),
    // `a/**` is everything in a, not a itself.
    atLeastOne: pattern[last] === ANY_FOLDERS,
  });
}

function matchName(tokens: readonly Token[], name: string): boolean {
  return matchSequence(tokens, Array.from(name), {
    isAny: (token) => token === ANY_CHARACTERS,
    matches: matchCharacter,
    atLeastOne: false,
  });
}

interface Comparison<P, V> {
  isAny(part: P): boolean;
  matches(part: P, value: V): boolean;
  /** The last part is an "any" that stands for one value at least. */
  atLeastOne: boolean;
}

/**
 * Matches parts, some of which stand for any number of values. Only the latest such part is ever
 * reconsidered: if anything matches, then also with the earlier ones as short as possible.
 */
function matchSequence<P, V>(parts: readonly P[], values: readonly V[], compare: Comparison<P, V>): boolean {
  const end = compare.atLeastOne ? values.length - 1 : values.length;
  let part = 0;
  let value = 0;
  let anyPart = -1;
  let anyValue = 0;
  while (value < values.length) {
    const wanted = parts[part] as P;
    if (part < parts.length && compare.isAny(wanted)) {
      if (part === parts.length - 1) return value <= end;
      anyPart = part;
      anyValue = value;
      part += 1;
    } else if (part < parts.length && compare.matches(wanted, values[value] as V)) {
      part += 1;
      value += 1;
    } else if (anyPart >= 0) {
      anyValue += 1;
      value = anyValue;
      part = anyPart + 1;
    } else {
      return false;
    }
  }
  while (part < parts.length && compare.isAny(parts[part] as P) && !compare.atLeastOne) part += 1;
  return part === parts.length;
}

function matchCharacter(token: Token, character: string): boolean {
  if (typeof token === "string") return token === character;
  if (token === ANY_CHARACTER) return true;
  if (typeof token === "symbol") return false;
  const point = character.codePointAt(0) as number;
  return token.ranges.some(([from, to]) => point >= from && point <= to) !== token.negated;
}

function parseSegment(text: string): readonly Token[] | undefined {
  const characters = Array.from(text);
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] as string;
    if (character === "*") {
      if (tokens.at(-1) !== ANY_CHARACTERS) tokens.push(ANY_CHARACTERS);
    } else if (character === "?") {
      tokens.push(ANY_CHARACTER);
    } else if (character === "[") {
      const parsed = parseClass(characters, at);
      if (parsed === undefined) return undefined;
      tokens.push(parsed.token);
      at = parsed.end;
    } else if (character === "\\" && at + 1 < characters.length) {
      at += 1;
      tokens.push(characters[at] as string);
    } else {
      tokens.push(character);
    }
  }
  return tokens;
}

/** A class that begins at `start`; a `]` right after the opening is a member of it. */
function parseClass(
  characters: readonly string[],
  start: number,
): { token: CharacterClass; end: number } | undefined {
  let at = start + 1;
  const negated = characters[at] === "!" || characters[at] === "^";
  if (negated) at += 1;
  const ranges: [number, number][] = [];
  for (const first = at; at < characters.length; at += 1) {
    if (characters[at] === "]" && at > first) return { token: { negated, ranges }, end: at };
    const named = characters[at] === "[" ? namedClass(characters.slice(at, at + 12).join("")) : undefined;
    if (named !== undefined) {
      if (named.ranges === undefined) return undefined;
      for (const [from, to] of named.ranges) ranges.push([from.charCodeAt(0), to.charCodeAt(0)]);
      at += named.length - 1;
      continue;
    }
    if (characters[at] === "\\") at += 1;
    const from = characters[at];
    if (from === undefined) return undefined;
    let to = from;
    if (characters[at + 1] === "-" && characters[at + 2] !== undefined && characters[at + 2] !== "]") {
      at += characters[at + 2] === "\\" ? 3 : 2;
      to = characters[at] ?? from;
    }
    ranges.push([from.codePointAt(0) as number, to.codePointAt(0) as number]);
  }
  return undefined;
}

/** `a{b,c}d` → `abd`, `acd`; nested ones too. Braces without a comma are plain characters. */
function expandBraces(glob: string): string[] {
  let pending = [glob];
  const done: string[] = [];
  while (pending.length > 0) {
    if (pending.length + done.length > MOST_ALTERNATIVES) {
      throw invalid(glob, `its braces stand for more than ${MOST_ALTERNATIVES} patterns`);
    }
    pending = pending.flatMap((text) => {
      const brace = firstBrace(text);
      if (brace !== undefined) return brace.alternatives.map((one) => brace.before + one + brace.after);
      done.push(text);
      return [];
    });
  }
  return done;
}

/** Is there a brace without an end, other than an escaped one or a member of a class? */
function hasOpenBrace(glob: string): boolean {
  let depth = 0;
  for (const [token] of glob.matchAll(/\\.|\[[!^]?\]?[^\]]*\]|[{}]/gs)) {
    if (token === "{") depth += 1;
    else if (token === "}") depth = Math.max(0, depth - 1);
  }
  return depth > 0;
}

function firstBrace(text: string): { before: string; alternatives: string[]; after: string } | undefined {
  for (let open = 0; open < text.length; open += 1) {
    if (text[open] === "\\") open += 1;
    else if (text[open] === "{") {
      const found = braceAt(text, open);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function braceAt(
  text: string,
  open: number,
): { before: string; alternatives: string[]; after: string } | undefined {
  const alternatives: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\") at += 1;
    else if (character === "{") depth += 1;
    else if ((character === "," && depth === 1) || (character === "}" && depth === 1)) {
      alternatives.push(text.slice(start, at));
      start = at + 1;
      if (character === "}") {
        if (alternatives.length === 1) return undefined;
        return { before: text.slice(0, open), alternatives, after: text.slice(at + 1) };
      }
    } else if (character === "}") depth -= 1;
  }
  return undefined;
}

function invalid(pattern: string, why: string): HaftError {
  return fileToolError("INVALID_GLOB", `Not a glob: ${pattern}: ${why}.`, {
    fix: "Use * within a name, ** across folders, ? for one character, {a,b} for alternatives, ! in front for all others; escape these characters with \\.",
    details: { pattern },
  });
}
