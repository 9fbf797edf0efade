import { compilePathPattern, type PathPattern, type PathSubject } from "@haft/core";
import type { PathPatternProblem } from "@haft/core/internal";
import { type PatternProblem, textProblem } from "./pattern-problem.ts";

/** A leading `/` matches absolute paths. `src/**` also matches `src`. */
export interface PathGlob {
  readonly absolute: boolean;
  readonly pattern: PathPattern;
}

const maxAlternatives = 64;
const maxLength = 1000;

/** @param fold ignores case and Unicode form, so that no spelling avoids a restricting rule */
export function compilePathGlob(pattern: string, fold: boolean): PathGlob | PatternProblem {
  const problem = textOf(pattern);
  if (problem) return problem;
  const compiled = compile(pattern, fold);
  if (!("problem" in compiled)) return { absolute: isAbsolute(pattern), pattern: compiled };
  const nearest = "/.".includes(compiled.problem) ? respelled(pattern) : undefined;
  const message = `${JSON.stringify(pattern)} ${compiled.message}${advice[compiled.problem] ?? ""}.`;
  return { message, nearest: nearest === undefined ? undefined : [nearest] };
}

export function readPathGlob(pattern: string, fold: boolean): PathGlob {
  let made: PathPattern | undefined;
  return {
    absolute: isAbsolute(pattern),
    get pattern() {
      return (made ??= compile(pattern, fold) as PathPattern);
    },
  };
}

function compile(pattern: string, fold: boolean): PathPattern | PathPatternProblem {
  return compilePathPattern(isAbsolute(pattern) ? pattern.slice(1) : pattern, {
    fold,
    strict: true,
    mostAlternatives: maxAlternatives,
  });
}

function isAbsolute(pattern: string): boolean {
  return pattern.startsWith("/");
}

const advice: Partial<Record<PathPatternProblem["problem"], string>> = {
  "[": ", as in a set of characters ([a-z]); write \\[ for the character",
  "]": ", as in a set of characters ([a-z]); write \\] for the character",
  "**": "; use ** alone between slashes, and * within a name",
  "/": "; for everything in a folder end it with /**",
  ".": "; write the path without it, and begin a path outside of its root with /",
};

function textOf(pattern: string): PatternProblem | undefined {
  const shown = JSON.stringify(pattern);
  if (pattern === "") return { message: "A path pattern is missing." };
  if (pattern.length > maxLength) return { message: `A path pattern has at most ${maxLength} characters.` };
  if (/^\s|(?<!\\)\s$/.test(pattern)) {
    const message = `${shown} begins or ends with a space; write \\ before a literal space.`;
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
      message: `${shown}: exceptions with ! are not supported; write the paths that the rule is for (\\! means the character).`,
    };
  }
  const prefix = /^[A-Za-z][\w+.-]*:(?:\/\/)?/.exec(pattern)?.[0];
  if (prefix !== undefined) {
    const message = `${shown}: names of roots, drives and schemes do not belong in a path pattern; it is relative to its root, or absolute with a / in front (\\: means the character).`;
    return { message, nearest: [pattern.slice(prefix.length)].filter(Boolean) };
  }
  const range = /(?<!\\)\{[^{},]*\.\.[^{},]*\}/.exec(pattern)?.[0];
  if (range !== undefined) {
    return { message: `${shown} has ${range}: braces list alternatives ({a,b}), not ranges.` };
  }
  const escaped = /^(?:[^\\]|\\[^A-Za-z0-9])*\\([A-Za-z0-9])/.exec(pattern)?.[1];
  if (escaped !== undefined) {
    const nearest = [pattern.replaceAll(/\\(?=[A-Za-z0-9])/g, "/")];
    return {
      message: `${shown} has \\${escaped}, which is just ${escaped}; names are separated by /.`,
      nearest,
    };
  }
  return undefined;
}

function respelled(pattern: string): string | undefined {
  const inner = pattern.replaceAll(/\/(?:\.?\/)+/g, "/").replace(/^(?:\.\/)+/, "");
  const spelled = inner.replace(/\/\.?$/, "/**").replace(/^\.$/, "**");
  return spelled === "" || spelled === pattern || /(?:^|\/)\.\.?(?:\/|$)/.test(spelled) ? undefined : spelled;
}

export interface PathMatch {
  readonly itself: boolean;
  readonly some: boolean;
  readonly all: boolean;
}

export function matchPath({ absolute, pattern }: PathGlob, { path, relative }: PathSubject): PathMatch {
  const text = absolute ? path : relative;
  const names = text.split("/").filter((name) => name !== "" && name !== ".");
  const { itself, some, all } = pattern.relate(names.join("/"));
  return { itself, some, all };
}

/**
 * Returns a path pattern that matches only this path.
 *
 * @example
 * ```ts run
 * import { createPolicy, escapePath } from "@haft/policy";
 *
 * const path = escapePath("notes [draft].md");
 * path; // => "notes \\[draft\\].md"
 * createPolicy({ deny: [`*(path:${path})`] }, { tools: [] });
 * ```
 */
export function escapePath(path: string): string {
  return path.replaceAll(/[*?[\](){}\\]|^[\s!$%~"'`]|[\s"'`]$|:|,(?=\s*\w+:)/g, "\\$&");
}
