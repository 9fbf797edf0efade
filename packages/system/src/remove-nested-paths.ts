import { dirname } from "node:path";

/**
 * Returns the paths that are not inside of another path, without duplicates.
 *
 * @param paths Absolute paths without symbolic links.
 * @example
 * ```ts run
 * import { removeNestedPaths } from "@haft/system";
 * removeNestedPaths(["/srv/project/src", "/srv/project", "/srv/project-2"]); // => ["/srv/project", "/srv/project-2"]
 * ```
 */
export function removeNestedPaths(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return [...all].filter((path) => dirname(path) === path || !isWithinAny(all, dirname(path)));
}

/**
 * Returns whether any of the folders is or contains a path. The time is independent of their number.
 *
 * @param folders Absolute paths without symbolic links.
 * @param path An absolute path.
 * @example
 * ```ts run
 * import { isWithinAny } from "@haft/system";
 * isWithinAny(new Set(["/srv/project", "/tmp"]), "/srv/project/src"); // => true
 * ```
 */
export function isWithinAny(folders: ReadonlySet<string>, path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    if (folders.has(folder)) return true;
    if (dirname(folder) === folder) return false;
  }
}
