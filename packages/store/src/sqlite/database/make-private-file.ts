import { chmodSync, closeSync, constants, lstatSync, openSync } from "node:fs";
import { storeError } from "../../errors.ts";

/**
 * Creates a private file, or restricts an existing file. SQLite's companion files inherit its mode.
 *
 * @returns the size of an existing file
 * @throws HaftError `STORE_UNUSABLE`, and system errors
 */
export function makePrivateFile(path: string): number | undefined {
  const unsafe = (what: string) => storeError("STORE_UNUSABLE", `${path} is ${what}.`);
  const found = lstatSync(path, { throwIfNoEntry: false }) ?? made(path);
  if (found === undefined) return undefined;
  if (!found.isFile()) throw unsafe(found.isSymbolicLink() ? "a link" : "not a file");
  if (process.geteuid !== undefined && found.uid !== process.geteuid())
    throw unsafe("a file of another user");
  // Closing a file would release all locks of the process on it, including SQLite's.
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o600);
  return found.size;
}

function made(path: string) {
  try {
    const { O_CREAT, O_EXCL, O_RDWR } = constants;
    closeSync(openSync(path, O_CREAT | O_EXCL | O_RDWR, 0o600));
    return undefined;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
    return lstatSync(path, { throwIfNoEntry: false });
  }
}
