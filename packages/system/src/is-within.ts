/**
 * Returns whether a path is a folder, or inside of it. Both must be absolute and without symbolic links.
 *
 * @example
 * ```ts run
 * import { isWithin } from "@haft/system";
 * isWithin("/srv/project/src", "/srv/project"); // => true
 * isWithin("/srv/project-2", "/srv/project"); // => false
 * ```
 */
export function isWithin(path: string, folder: string): boolean {
  if (folder === "/") return true;
  return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === "/");
}
