import { compilePathPattern } from "../patterns/path-pattern.ts";

const MAX_CHARACTERS = 1000;

/**
 * Compiles a glob. A leading `!` negates it. Without a slash it is matched against the last name of a path, else against the whole path.
 * `a/**` matches everything in `a`, but not `a`. Unicode forms are ignored.
 *
 * The time is proportional to pattern × path: a regular expression from an untrusted pattern could block the host for hours.
 *
 * @returns The test of a path, or the problem of an invalid glob, as the end of a sentence.
 * @example
 * ```ts run
 * import { compileGlob } from "@haft/core";
 * const glob = compileGlob("*.{ts,tsx}");
 * if ("problem" in glob) throw new Error(glob.problem);
 * glob.matches("src/home.tsx"); // => true
 * ```
 */
export function compileGlob(glob: string): { matches: (path: string) => boolean } | { problem: string } {
  if (glob.length > MAX_CHARACTERS) return { problem: `it has ${glob.length} characters` };
  if (glob.startsWith("!")) {
    const positive = compileGlob(glob.slice(1));
    return "problem" in positive ? positive : { matches: (path) => !positive.matches(path) };
  }
  const compiled = compilePathPattern(belowFolders(glob.normalize().replace(/^(?:\.\/)+/, "")));
  if ("problem" in compiled) return { problem: `it ${compiled.message}` };
  const isPath = (path: string): boolean => compiled.matches(path.normalize());
  if (glob.replace(/\{.*\}/s, "").includes("/")) return { matches: isPath };
  const isName = (path: string): boolean => isPath(path.slice(path.lastIndexOf("/") + 1));
  return { matches: glob.includes("/") ? (path) => isPath(path) || isName(path) : isName };
}

/** A final `**` requires at least one name. */
export function belowFolders(pattern: string): string {
  return pattern.replaceAll(/(?<=^|\/)\*\*$|(?<=\{[^{}]*\/)\*\*(?=(?:,[^{}]*)?\}$)/g, "**/*");
}
