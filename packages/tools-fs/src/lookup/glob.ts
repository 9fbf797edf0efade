import { compilePathPattern, type HaftError, type Workspace } from "@haft/plugin-sdk";
import { fileToolError } from "../errors.ts";
import { findExistingSpelling } from "../paths/existing-spelling.ts";

const MOST_CHARACTERS = 1000;

/**
 * Compiles a glob. A leading `!` negates it. Without a slash it is matched against the last name of a path, else against the whole path.
 * `a/**` matches everything in `a`, but not `a`. Unicode forms are ignored.
 *
 * The time is proportional to pattern × path: a regular expression from an untrusted pattern could block the host for hours.
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
  if (glob.replace(/\{.*\}/s, "").includes("/")) return (path) => pattern.matches(path);
  const isName = (path: string) => pattern.matches(path.slice(path.lastIndexOf("/") + 1));
  return glob.includes("/") ? (path) => pattern.matches(path) || isName(path) : isName;
}

/** A final `**` requires at least one name. */
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
 * Returns the start folder in its existing spelling, and the glob. A glob with the absolute path of a root is cut to the part below the
 * start. The default start is the deepest folder without wildcards.
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
