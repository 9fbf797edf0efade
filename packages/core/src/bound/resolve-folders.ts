import { isObject } from "@haft/utils";
import { resolve } from "node:path";

/** Folders in the options of tools that are used without a host. */
export interface Folders {
  /** The workspace folder. */
  root?: string;
  /** Further folders, by name. */
  roots?: Readonly<Record<string, { path: string; access: "ro" | "rw" }>>;
}

/**
 * Returns a copy of options whose relative folders are resolved now, so that they stay the same when the process changes its
 * folder. `~` stays.
 *
 * @example
 * ```ts
 * import { resolveFolders } from "@haft/core/kernel";
 * const { root } = resolveFolders({ root: "project" });
 * ```
 */
export function resolveFolders<Given extends Folders>(given: Given): Given {
  const placed: Given = { ...given };
  if (given.root !== undefined) placed.root = fromHere(given.root);
  if (isObject(given.roots)) placed.roots = Object.fromEntries(Object.entries(given.roots).map(placeOne));
  return placed;
}

function placeOne<Root extends { path: string }>([name, root]: [string, Root]): [string, Root] {
  return [name, isObject(root) ? { ...root, path: fromHere(root.path) } : root];
}

function fromHere(path: string): string {
  if (typeof path !== "string" || path === "" || path === "~" || path.startsWith("~/")) return path;
  try {
    return resolve(path);
  } catch {
    // The working folder is gone; a call says that the folder cannot be opened.
    return path;
  }
}
