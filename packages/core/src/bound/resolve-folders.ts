import { isObject } from "@haft/utils";
import { resolve } from "node:path";
import { invalidOptions } from "../parameters/check-options.ts";
import { describeValue } from "../parameters/schema/issues.ts";

/** Locates folders for tools without a host. */
export interface Folders {
  /** Locates the workspace. */
  root?: string;
  /** Locates further folders, by name. */
  roots?: Readonly<Record<string, { path: string; access: "ro" | "rw" }>>;
}

/**
 * Copies options and resolves relative folders by the current working folder. `~` stays.
 *
 * @param caller Names a function that needs `root`. If `root` is missing, the error names it.
 * @throws HaftError `INVALID_OPTIONS`
 * @example
 * ```ts
 * import { resolveFolders } from "@haft/core/kernel";
 * const { root } = resolveFolders({ root: "project" });
 * ```
 */
export function resolveFolders<Given extends Folders>(given: Given, caller?: string): Given {
  if (caller !== undefined) requireRoot(caller, given.root);
  const placed: Given = { ...given };
  if (given.root !== undefined) placed.root = fromHere(given.root);
  if (isObject(given.roots)) placed.roots = Object.fromEntries(Object.entries(given.roots).map(resolveOne));
  return placed;
}

function requireRoot(where: string, root: unknown): void {
  if (typeof root === "string" && root !== "") return;
  throw invalidOptions(
    `${where} needs root, a text with the path of a folder; it received ${describeValue(root)}.`,
    `Name the folder: ${where}({ root: process.cwd() }).`,
  );
}

function resolveOne<Root extends { path: string }>([name, root]: [string, Root]): [string, Root] {
  return [name, isObject(root) ? { ...root, path: fromHere(root.path) } : root];
}

function fromHere(path: string): string {
  if (typeof path !== "string" || path === "" || path === "~" || path.startsWith("~/")) return path;
  try {
    return resolve(path);
  } catch {
    // The working folder was removed; a call reports it.
    return path;
  }
}
