import { isWithin } from "@haft/workspace/internal/system";
import { dirname } from "node:path";

export const MOST_COVERS = 64;

/**
 * At most so many folders that cover all of these. `undefined` where a root would have to be one of them: then nothing could be written.
 */
export function coveringFolders(
  paths: readonly string[],
  roots: readonly string[],
  most: number,
): string[] | undefined {
  let covers = [...new Set(paths)];
  if (covers.some((path) => roots.includes(path))) return undefined;
  while (covers.length > most) {
    const depths = covers.map((path) => (roots.includes(dirname(path)) ? 0 : depthOf(path)));
    const deepest = depths.reduce((found, depth) => Math.max(found, depth), 0);
    if (deepest === 0) return undefined;
    covers = [...new Set(covers.map((path, at) => (depths[at] === deepest ? dirname(path) : path)))];
  }
  return covers.filter((path) => !covers.some((other) => other !== path && isWithin(path, other)));
}

function depthOf(path: string): number {
  return path.split("/").length;
}
