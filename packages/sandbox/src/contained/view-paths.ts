/**
 * The paths of a contained session. All are absolute and without symbolic links.
 *
 * @example
 * ```ts
 * import type { ViewPaths } from "@haft/sandbox/view";
 * const roots = ["/srv/project"];
 * const paths: ViewPaths = {
 *   roots,
 *   writable: roots,
 *   readOnly: ["/srv/project/.git/hooks"],
 *   pinned: [],
 *   hidden: ["/srv/project/.env"],
 *   extra: [],
 *   socketFolders: roots,
 *   unscannedRoots: [],
 * };
 * ```
 */
export interface ViewPaths {
  /** Folders of the session in which commands write. */
  roots: readonly string[];
  /** All folders in which commands write: the roots and the caches. The list is empty for a read-only view. */
  writable: readonly string[];
  /** Files and folders in writable folders that commands cannot change. Those that do not exist yet are held once they do. */
  readOnly: readonly string[];
  /** Folders in which commands can write, and that they cannot move. */
  pinned: readonly string[];
  /** Files and folders that commands see as empty, and cannot write. */
  hidden: readonly string[];
  /** Files or folders of the host at another path of the view. The path must exist, unless it is below `/tmp` or `/run`. */
  extra: readonly { from: string; to: string; access: "ro" | "rw" }[];
  /** Roots with too many entries to search all of them for secrets. */
  unscannedRoots: readonly string[];
  /** Folders that are searched for sockets and FIFOs of the host before the first command. Commands cannot reach these. */
  socketFolders: readonly string[];
}

/**
 * Returns whether a path is in a folder that each view has for itself: `/tmp`, `/var/tmp`, `/dev/shm` or `/run`.
 *
 * @param path An absolute path.
 * @example
 * ```ts run
 * import { isPrivatePath } from "@haft/sandbox/view";
 * isPrivatePath("/tmp/build"); // => true
 * isPrivatePath("/srv/build"); // => false
 * ```
 */
export function isPrivatePath(path: string): boolean {
  return /^\/(?:tmp|var\/tmp|dev\/shm|run)\/./.test(path);
}
