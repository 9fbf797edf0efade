import { chmodSync, closeSync, constants, lstatSync, openSync } from "node:fs";
import { storeError } from "../../errors.ts";

/**
 * Makes a file that only this user can read, where there is none. One that is there already is closed to others. The
 * files that SQLite puts beside it have its mode.
 *
 * @returns bytes of one that was there; `undefined` when it was made here
 *
 * @throws HaftError `STORE_UNUSABLE`, and what the system says
 */
export function makePrivateFile(path: string): number | undefined {
  const unsafe = (what: string) => storeError("STORE_UNUSABLE", `${path} is ${what}.`);
  const found = lstatSync(path, { throwIfNoEntry: false }) ?? made(path);
  if (found === undefined) return undefined;
  if (!found.isFile()) throw unsafe(found.isSymbolicLink() ? "a link" : "not a file");
  if (process.geteuid !== undefined && found.uid !== process.geteuid())
    throw unsafe("a file of another user");
  // Never opened here: whoever closes a file gives up all locks that the process has on it, SQLite's too.
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
