import { closeSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Writes a file that only this user can read, completely or not at all, in an existing folder. It replaces what is at the path, also a
 * link. Of several writers at once the last one wins. For files of people use `replaceFile`.
 *
 * @throws the error of the system; the file is then unchanged, and no other file remains
 * @example
 * ```ts
 * import { writeAtomically } from "@haft/system";
 * writeAtomically("/home/ann/.local/state/bot/cache.json", JSON.stringify({ seen: 3 }));
 * ```
 */
export function writeAtomically(path: string, content: string | Uint8Array): void {
  // As the names of what is being written elsewhere, so that what a killed program leaves is known for that.
  const id = Math.floor(Math.random() * 2 ** 48).toString(16);
  const draft = join(dirname(path), `.haft-${process.pid}--${id.padStart(12, "0")}.tmp`);
  const file = openSync(draft, "wx", 0o600);
  try {
    try {
      // Goes on until all of it is written: on a full disk a single write takes a part, and says nothing.
      writeFileSync(file, content);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw thrown;
  }
}
