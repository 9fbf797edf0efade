import type { PathSubject } from "@haft/core";
import { relative, sep } from "node:path";
import { resolveRealPath } from "./real-path.ts";

/**
 * Returns the written and the resolved path. Rules without a leading `/` start in `root`.
 *
 * @param root Absolute, with resolved links.
 */
export function pathSubjects(
  paths: readonly string[],
  access: PathSubject["access"],
  root: string,
  recursive?: true,
): PathSubject[] {
  const all = new Set(paths.flatMap((path) => [path, resolveRealPath(path)]));
  return [...all].map((path) => pathSubject(path, access, root, recursive));
}

export function pathSubject(
  path: string,
  access: PathSubject["access"],
  root: string,
  recursive?: true,
): PathSubject {
  const inside = relative(root, path).split(sep).join("/");
  const isOutside = inside === ".." || inside.startsWith("../");
  return {
    path,
    relative: inside,
    access,
    ...(recursive ? { recursive } : {}),
    ...(isOutside ? { outside: true as const } : {}),
  };
}
