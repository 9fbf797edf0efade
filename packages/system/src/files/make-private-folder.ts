import { makeFolder } from "@haft/utils";
import { chmodSync, lstatSync, type Stats } from "node:fs";

/** Reports a link, a file, or another user's folder. */
export class NotPrivateError extends Error {}

/**
 * Makes a folder, with missing folders above it, for this user only (mode `0o700`). An existing folder is closed to other users.
 *
 * @throws `NotPrivateError` for another user's folder, or a path of another type; otherwise the system's error
 * @example
 * ```ts run
 * import { makePrivateFolder } from "@haft/system";
 * makePrivateFolder("state/keys");
 * ```
 */
export function makePrivateFolder(path: string): void {
  const named = JSON.stringify(path);
  try {
    makeFolder(path, 0o700);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === "ENOTDIR") throw new NotPrivateError(`${named} is not in a folder`, { cause: thrown });
    if (code !== "EEXIST") throw thrown;
  }
  const found = lstatSync(path);
  if (!found.isDirectory()) throw new NotPrivateError(`${named} is not a folder`);
  if (!isOwnedByUser(found)) throw new NotPrivateError(`the folder ${named} belongs to another user`);
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o700);
}

/** On Windows, all files belong to user 0, and the profile folder protects them. */
export function isOwnedByUser({ uid }: Stats): boolean {
  return process.geteuid === undefined || uid === process.geteuid();
}
