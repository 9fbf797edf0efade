import { makeFolder } from "@haft/utils";
import { chmodSync, lstatSync, type Stats } from "node:fs";

/** A folder that cannot be this user's alone: it is a link, no folder, or somebody else's. */
export class NotPrivateError extends Error {}

/**
 * Makes a folder, with the missing folders above it, that only this user can use (mode `0o700`). A folder that exists is closed to
 * other users.
 *
 * @throws `NotPrivateError` when the path is no folder or belongs to another user; else the system's error
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

/** On Windows everybody's files are those of user 0, and the profile folder is what protects them. */
export function isOwnedByUser({ uid }: Stats): boolean {
  return process.geteuid === undefined || uid === process.geteuid();
}
