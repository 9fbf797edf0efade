import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Without links; `undefined` where it is not there. */
export function getRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Without links; the path itself where it is not there. */
export function realPathOrSelf(path: string): string {
  return getRealPath(path) ?? path;
}

/** Without links, also where it is not there yet. */
export function resolveRealPath(path: string): string {
  const real = getRealPath(path);
  if (real !== undefined) return real;
  const parent = dirname(path);
  return parent === path ? path : join(resolveRealPath(parent), basename(path));
}
