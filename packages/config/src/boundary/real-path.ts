import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Returns `undefined` if the path does not exist. */
export function getRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Returns the path itself if it does not exist. */
export function realPathOrSelf(path: string): string {
  return getRealPath(path) ?? path;
}

/** Includes paths that do not exist yet. */
export function resolveRealPath(path: string): string {
  const real = getRealPath(path);
  if (real !== undefined) return real;
  const parent = dirname(path);
  return parent === path ? path : join(resolveRealPath(parent), basename(path));
}
