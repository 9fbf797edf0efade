import { closeSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Writes a file for this user only, completely or not at all, in an existing folder. It replaces anything at the path, also a link. The
 * last writer wins. For files of people, use `replaceFile`.
 *
 * @throws the system's error; the file is then unchanged, without other remains
 * @example
 * ```ts
 * import { writeAtomically } from "@haft/system";
 * writeAtomically("/home/ann/.local/state/bot/cache.json", JSON.stringify({ seen: 3 }));
 * ```
 */
export function writeAtomically(path: string, content: string | Uint8Array): void {
  // Temporary names, which identify files of killed programs.
  const id = Math.floor(Math.random() * 2 ** 48).toString(16);
  const draft = join(dirname(path), `.haft-${process.pid}--${id.padStart(12, "0")}.tmp`);
  const file = openSync(draft, "wx", 0o600);
  try {
    try {
      // A single write to a full disk takes only a part, silently.
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
