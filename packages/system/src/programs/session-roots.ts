import { realpathSync, statSync } from "node:fs";
import { attempt } from "../attempt.ts";
import { isWithin } from "../is-within.ts";

/** All copies of this module share it. */
const KEY = Symbol.for("@haft/workspace: roots of sessions");

function roots(): Set<string> {
  const holder = globalThis as { [KEY]?: Set<string> };
  return (holder[KEY] ??= new Set());
}

/**
 * Records a folder in which a session works, permanently: its files outlive the session, and are no programs of the host ({@link
 * findHostProgram}).
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

/** Grows, which reveals new roots. */
export function countSessionRoots(): number {
  return roots().size;
}

/** Finds the root of a folder or file, by path and, for a folder, {@link folderKey}. */
export type FindRoot = (path: string, folder: string | undefined) => string | undefined;

/** Uses the current roots. A folder may have other names, by a mount or in other case. */
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
 * Returns the root of a session that contains a path, or `undefined`. Symbolic links are followed.
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

/** Missing parts keep their names. */
function realOf(path: string): string {
  return attempt(() => realpathSync.native(path)) ?? path;
}

export function folderKey({ dev, ino }: { dev: bigint; ino: bigint }): string {
  return `${dev}:${ino}`;
}
