import type { Workspace } from "@haft/plugin-sdk";
import { existingForm } from "../paths/same-name.ts";

/**
 * Where a lookup starts, as what is there is spelled, and its glob. A glob that begins with the absolute path of a root is about that place, not about a path below the start: it is
 * cut to what follows the start, or when none was given, looked for from its deepest folder without a wildcard.
 */
export async function fromRoot(
  workspace: Workspace,
  path: string | undefined,
  glob: string,
): Promise<{ path: string; glob: string }> {
  const asIs = { path: path === undefined ? "." : await existingForm(workspace.fs, path), glob };
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
