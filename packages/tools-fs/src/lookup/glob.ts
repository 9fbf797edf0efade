import { compilePathPattern, type HaftError, type Workspace } from "@haft/plugin-sdk";
import { fileToolError } from "../errors.ts";
import { findExistingSpelling } from "../paths/existing-spelling.ts";

/** Longest pattern taken: more is a mistake. */
const MOST_CHARACTERS = 1000;

/**
 * Compiles a glob: a pattern for paths which after a `!` is about all other paths. Without a slash it is matched against
 * the last name of a path, else against the whole path; `a/**` is everything in `a`, and not `a` itself. Names that differ
 * in their Unicode form alone are one name.
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
  const compiled = compilePathPattern(belowFolders(glob.normalize().replace(/^(?:\.\/)+/, "")));
  if ("problem" in compiled) throw invalid(glob, `it ${compiled.message}`);
  const pattern = { matches: (path: string): boolean => compiled.matches(path.normalize()) };
  // A slash within braces is one of some alternatives only.
  if (glob.replace(/\{.*\}/s, "").includes("/")) return (path) => pattern.matches(path);
  const isName = (path: string) => pattern.matches(path.slice(path.lastIndexOf("/") + 1));
  return glob.includes("/") ? (path) => pattern.matches(path) || isName(path) : isName;
}

/** Where `**` at the end stands for at least one name, and not for the folder itself. */
export function belowFolders(pattern: string): string {
  return pattern.replaceAll(/(?<=^|\/)\*\*$|(?<=\{[^{}]*\/)\*\*(?=(?:,[^{}]*)?\}$)/g, "**/*");
}

function invalid(pattern: string, why: string): HaftError {
  return fileToolError("INVALID_PATTERN", `Not a glob: ${pattern}: ${why}.`, {
    fix: "Use * within a name, ** across folders, ? for one character, {a,b} for alternatives, ! in front for all others; escape these characters with \\.",
    details: { pattern },
  });
}

/**
 * Where a lookup starts, as what is there is spelled, and its glob. A glob that begins with the absolute path of a root is about that place, not about a path below the start: it is
 * cut to what follows the start, or when none was given, looked for from its deepest folder without a wildcard.
 */
export async function resolveGlobRoot(
  workspace: Workspace,
  path: string | undefined,
  glob: string,
): Promise<{ path: string; glob: string }> {
  const asIs = { path: path === undefined ? "." : await findExistingSpelling(workspace.fs, path), glob };
  const [, not = "", absolute = ""] = /^(!?)(\/.*)?$/s.exec(glob) ?? [];
  const { mounts } = workspace.describe();
  if (absolute === "" || !mounts.some((mount) => isBelow(absolute, mount.path))) return asIs;
  const start = await workspace.fs.realpath(asIs.path);
  if (isBelow(absolute, start))
    return { ...asIs, glob: not + absolute.slice(start === "/" ? 0 : start.length) };
  if (path !== undefined) return asIs;
  const [folder = ""] = /^(?:\/[^/*?[\]{}\\]+(?=\/))*/.exec(absolute) ?? [];
  return { path: folder === "" ? "/" : folder, glob: not + absolute.slice(folder.length) };
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === "/" ? "/" : `${folder}/`);
}
