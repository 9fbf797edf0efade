import type { ViewSpec } from "../view/view-spec.ts";

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
export interface ViewPaths extends Pick<ViewSpec, "writable" | "readOnly" | "pinned" | "hidden" | "extra"> {
  /** Folders of the session in which commands write. */
  roots: readonly string[];
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
