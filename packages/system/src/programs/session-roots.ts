import { realpathSync, statSync } from "node:fs";
import { attempt } from "../attempt.ts";
import { isWithin } from "../is-within.ts";

/** One for all copies of this module: two that are installed side by side must not know half of it each. */
const KEY = Symbol.for("@haft/workspace: roots of sessions");

function roots(): Set<string> {
  const holder = globalThis as { [KEY]?: Set<string> };
  return (holder[KEY] ??= new Set());
}

/**
 * Records a folder in which a session works. No file in it is a program of the host from then on ({@link findHostProgram}). A
 * root cannot be removed, because the files of a session outlive it.
 *
 * @example
 * ```ts
 * import { addSessionRoot } from "@haft/system";
 * addSessionRoot("/srv/project");
 * ```
 */
export function addSessionRoot(path: string): void {
  roots().add(realOf(path));
}

/** How many there are: grows, so it says whether any came after an earlier look. */
export function countSessionRoots(): number {
  return roots().size;
}

/** The root that holds a folder or file, told by its path and, for a folder, by what {@link folderKey} says of it. */
export type FindRoot = (path: string, folder: string | undefined) => string | undefined;

/** Looks at the roots as they are now: the same folder may have other names, by another mount or in other case. */
export function createRootFinder(): FindRoot {
  const all = [...roots()];
  const folders = new Map<string, string>();
  for (const path of all) {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats !== undefined) folders.set(folderKey(stats), path);
  }
  return (path, folder) =>
    all.find((root) => isWithin(path, root)) ?? (folder === undefined ? undefined : folders.get(folder));
}

/**
 * Returns the root of a session that holds a path, and `undefined` when there is none. Symbolic links are followed.
 *
 * @example
 * ```ts run
 * import { addSessionRoot, findSessionRoot } from "@haft/system";
 * addSessionRoot("/srv/project");
 * findSessionRoot("/srv/project/bin/tool"); // => "/srv/project"
 * ```
 */
export function findSessionRoot(path: string): string | undefined {
  return createRootFinder()(realOf(path), undefined);
}

/** What is not there yet is what will be called so. */
function realOf(path: string): string {
  return attempt(() => realpathSync.native(path)) ?? path;
}

export function folderKey({ dev, ino }: { dev: bigint; ino: bigint }): string {
  return `${dev}:${ino}`;
}
