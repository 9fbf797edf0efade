import type { Mount } from "@haft/plugin-sdk";
import { posix } from "node:path";

/** Also for missing folders. */
export function listAncestors(folder: string): string[] {
  const levels = [folder];
  for (let at = folder; at !== "/";) levels.push((at = posix.dirname(at)));
  return levels;
}

export function contains(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** Returns whether calls can create a file there. A mount of the whole host does not count. */
export function isWritable(path: string | undefined, mounts: readonly Mount[]): boolean {
  return mounts.some(
    (mount) => mount.access === "rw" && mount.path !== "/" && path?.startsWith(`${mount.path}/`) === true,
  );
}

/** After a link, `..` leads elsewhere than the text. */
export function hasInnerParentSegment(path: string): boolean {
  return /(?:^|\/)(?!\.{1,2}(?:\/|$))[^/]+\/(?:.*\/)?\.\.(?:\/|$)/.test(path);
}
