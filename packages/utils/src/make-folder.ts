import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a folder, with missing folders above it. Node's option `recursive` never ends where the system reports each folder as missing and
 * makes none, as below `/proc`.
 *
 * @param mode Of new folders, less the umask. Default `0o777`.
 * @throws the system's error for the first folder that cannot be made
 * @example
 * ```ts run
 * import { existsSync } from "node:fs";
 * import { makeFolder } from "@haft/utils";
 * makeFolder("state/records", 0o700);
 * existsSync("state/records"); // => true
 * ```
 */
export function makeFolder(path: string, mode = 0o777): void {
  const missing: string[] = [];
  let at = resolve(path);
  while (!isMade(at, mode)) {
    missing.push(at);
    at = dirname(at);
  }
  for (const folder of missing.toReversed()) {
    if (isMade(folder, mode)) continue;
    const above = dirname(folder);
    throw Object.assign(new Error(`no folder can be made in ${above}`), { code: "ENOENT", path: above });
  }
}

function isMade(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (thrown) {
    // Systems may also report an existing folder as read-only or unwritable.
    if (isFolder(path)) return true;
    if ((thrown as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw thrown;
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
