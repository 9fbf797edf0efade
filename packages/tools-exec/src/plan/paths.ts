import type { Mount } from "@haft/plugin-sdk";
import { posix } from "node:path";

/** A folder and those above it, up to the root. Also for a path that is not there yet. */
export function listAncestors(folder: string): string[] {
  const levels = [folder];
  for (let at = folder; at !== "/";) levels.push((at = posix.dirname(at)));
  return levels;
}

export function contains(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** Whether calls can put a file there. A mount of everything says nothing about that. */
export function isWritable(path: string | undefined, mounts: readonly Mount[]): boolean {
  return mounts.some(
    (mount) => mount.access === "rw" && mount.path !== "/" && path?.startsWith(`${mount.path}/`) === true,
  );
}

/** A path that goes down before it goes up: a link in it leads elsewhere than its text says. */
export function hasInnerParentSegment(path: string): boolean {
  return /(?:^|\/)(?!\.{1,2}(?:\/|$))[^/]+\/(?:.*\/)?\.\.(?:\/|$)/.test(path);
}
