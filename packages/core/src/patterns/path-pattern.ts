import { requireKnownOptions } from "../parameters/check-options.ts";
import { foldCase } from "./fold-case.ts";
import { compileName } from "./match-name.ts";
import { ANY_FOLDERS, type PathPattern, PatternTree, type Segment } from "./pattern-tree.ts";
import {
  countAlternatives,
  expandBraces,
  type PathPatternProblem,
  type Token,
  tokenise,
} from "./tokenise.ts";

/**
 * Compiles patterns for paths, whose names are separated by `/`:
 *
 * - `*` matches any characters within a name, `?` matches one;
 * - `[a-z]` matches one of these characters, `[!a-z]` or `[^a-z]` any other character; POSIX classes are allowed, as in `[[:alpha:]_]`;
 * - `**` as a whole name matches any number of folders, including none: `a/**` matches `a` and everything in it;
 * - `{a,b/c}` matches either;
 * - `\` escapes the next character.
 *
 * A leading `/` of a pattern has no meaning, and paths have none. The time is at most proportional to pattern × path.
 *
 * @param patterns A path has to match one.
 * @param options.fold Ignores case and Unicode form. Default false.
 * @param options.dotFiles Lets wildcards match names that begin with a dot. Default true.
 * @param options.strict Gives every sign its meaning: `{a}` is then `a`. A `]` or `}` without an opening, a `**` next to other characters,
 * a final `\`, and a name that is empty, `.` or `..` are problems. Otherwise such a `**` is `*`, and the others are plain characters, as
 * are braces without a comma. Default false.
 * @param options.emptyRanges Lets `[z-a]` match nothing, as in git. Otherwise it is a problem. Default false.
 * @param options.mostAlternatives Limits the alternatives of all braces in one pattern. Default 256.
 * @returns The patterns, or the problem of the first invalid pattern.
 * @throws HaftError `INVALID_OPTIONS`
 *
 * @example
 * ```ts run
 * import { compilePathPattern } from "@haft/core";
 *
 * const pattern = compilePathPattern("src/*.{ts,tsx}");
 * if ("problem" in pattern) throw new Error(pattern.message);
 * pattern.matches("src/home.tsx"); // => true
 * pattern.matches("src/home.css"); // => false
 * ```
 */
export function compilePathPattern(
  patterns: string | readonly string[],
  options: {
    fold?: boolean;
    dotFiles?: boolean;
    strict?: boolean;
    emptyRanges?: boolean;
    mostAlternatives?: number;
  } = {},
): PathPattern | PathPatternProblem {
  requireKnownOptions<typeof options>("compilePathPattern", options, {
    fold: true,
    dotFiles: true,
    strict: true,
    emptyRanges: true,
    mostAlternatives: true,
  });
  const {
    fold = false,
    dotFiles = true,
    strict = false,
    emptyRanges = false,
    mostAlternatives = 256,
  } = options;
  const read: (readonly Token[])[] = [];
  for (const pattern of typeof patterns === "string" ? [patterns] : patterns) {
    const tokens = tokenise(fold ? pattern.normalize("NFC") : pattern, { strict, emptyRanges });
    if ("problem" in tokens) return tokens;
    if (countAlternatives(tokens) > mostAlternatives) {
      const { at } = tokens.find(({ kind }) => kind === "{")!;
      return {
        problem: "braces",
        at,
        message: `stands for more than ${mostAlternatives} patterns`,
      };
    }
    const problem = strict ? nameProblem(tokens) : undefined;
    if (problem) return problem;
    read.push(tokens);
  }
  let made: PatternTree | undefined;
  const tree = () => (made ??= treeOf(read, { fold, dotFiles, strict }));
  const textOf = fold ? foldCase : (path: string) => path;
  return {
    matches: (path) => tree().matches(textOf(path)),
    covers: (path) => tree().covers(textOf(path)),
    relate: (path) => tree().relate(textOf(path)),
  };
}

function treeOf(
  patterns: readonly (readonly Token[])[],
  { fold, dotFiles, strict }: { fold: boolean; dotFiles: boolean; strict: boolean },
): PatternTree {
  const tree = new PatternTree(dotFiles);
  for (const alternative of patterns.flatMap(expandBraces))
    tree.insert(splitNames(alternative, strict).map((name) => compileSegment(name, fold, dotFiles)));
  return tree;
}

function splitNames(tokens: readonly Token[], strict: boolean): Token[][] {
  if (tokens.length === 0) return [];
  const names: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === "/") names.push([]);
    else names.at(-1)!.push(token);
  }
  if (strict) return names;
  return names.slice(names.findIndex((name, index) => name.length > 0 || index === names.length - 1));
}

function nameProblem(tokens: readonly Token[]): PathPatternProblem | undefined {
  for (const alternative of expandBraces(tokens)) {
    const problem = problemIn(alternative, splitNames(alternative, true));
    if (problem) return problem;
  }
  return undefined;
}

function problemIn(
  tokens: readonly Token[],
  names: readonly (readonly Token[])[],
): PathPatternProblem | undefined {
  if (names.length === 0) return { problem: "/", at: 0, message: "has an empty name" };
  for (const name of names) {
    const text = name.map((token) => token.text).join("");
    if (text === "") {
      const beside = tokens.find(
        ({ kind }, index) => kind === "/" && (index === 0 || (tokens[index + 1]?.kind ?? "/") === "/"),
      );
      return { problem: "/", at: beside?.at ?? 0, message: "has an empty name" };
    }
    const { at } = name[0]!;
    if (text === "." || text === "..") return { problem: ".", at, message: `has the name ${text}` };
    const stars = name.find(({ kind }, index) => kind === "*" && name[index + 1]?.kind === "*");
    if (stars && name.length > 2)
      return { problem: "**", at: stars.at, message: "has ** next to other characters" };
  }
  return undefined;
}

function compileSegment(name: readonly Token[], fold: boolean, dotFiles: boolean): Segment {
  if (name.length === 2 && name.every(({ kind }) => kind === "*")) return ANY_FOLDERS;
  const matcher = compileName(name, fold);
  if (typeof matcher === "string" || dotFiles || name[0]?.text === ".") return matcher;
  return { ...matcher, matches: (each) => !each.startsWith(".") && matcher.matches(each) };
}
