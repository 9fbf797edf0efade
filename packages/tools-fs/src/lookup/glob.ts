import { compileGlob, type HaftError, type Workspace } from "@haft/plugin-sdk";
import { fileToolError } from "../errors.ts";
import { findExistingSpelling } from "../paths/existing-spelling.ts";

/** @throws HaftError `INVALID_PATTERN` */
export function requireGlob(glob: string): void {
  const compiled = compileGlob(glob);
  if ("problem" in compiled)
    throw invalid(glob.length > MAX_SHOWN ? glob.slice(0, 60) : glob, compiled.problem);
}

const MAX_SHOWN = 1000;

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
  given: string,
): Promise<{ path: string; glob: string }> {
  const found = await splitRoot(workspace, path, await withoutTilde(workspace, given));
  return { ...found, glob: withLiteralName(found.glob) };
}

async function splitRoot(
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

/** `~` means the home folder, as in paths. */
async function withoutTilde({ fs }: Workspace, glob: string): Promise<string> {
  const [, not = "", home, rest = ""] = /^(!?)(~(?:\/[^/*?[\]{}\\]+(?=\/))*)(\/.*)$/s.exec(glob) ?? [];
  return home === undefined ? glob : `${not}${await fs.realpath(home)}${rest}`;
}

/** A file can have the name that a pattern with brackets spells: `app/[id]/page.tsx`. */
function withLiteralName(glob: string): string {
  if (!/\[[^\]]*\]/.test(glob) || glob.startsWith("!") || /[{}]/.test(glob)) return glob;
  return `{${glob},${glob.replaceAll(/[[\]]/g, "\\$&")}}`;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === "/" ? "/" : `${folder}/`);
}
