import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Without links; `undefined` where it is not there. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Without links; the path itself where it is not there. */
export function realOrSame(path: string): string {
  return realOf(path) ?? path;
}

/** Without links, also where it is not there yet. */
export function realPlace(path: string): string {
  const real = realOf(path);
  if (real !== undefined) return real;
  const parent = dirname(path);
  return parent === path ? path : join(realPlace(parent), basename(path));
}
