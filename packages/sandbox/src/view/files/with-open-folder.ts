import { closeSync, constants, fchmodSync, fstatSync, openSync, readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { nativePath, pathFromBytes } from "../../mounts/raw-path.ts";

const MISSING_CODES: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

/** A later replacement of the folder has no effect. `undefined` if it does not exist. */
export function withOpenFolder<T>(path: string, work: (at: string) => T): T | undefined {
  const folder = dirname(path);
  const file = openFolder(folder);
  if (file === undefined) return undefined;
  try {
    const opened = `/proc/self/fd/${file}`;
    if (pathFromBytes(readlinkSync(opened, "buffer")) !== folder) return undefined;
    const { mode } = fstatSync(file);
    if ((mode & 0o200) !== 0) return work(join(opened, basename(path)));
    // A command may have removed its user's right to write.
    fchmodSync(file, (mode & 0o777) | 0o700);
    try {
      return work(join(opened, basename(path)));
    } finally {
      fchmodSync(file, mode & 0o7777);
    }
  } finally {
    closeSync(file);
  }
}

function openFolder(folder: string): number | undefined {
  try {
    return openSync(nativePath(folder), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (thrown) {
    if (MISSING_CODES.has((thrown as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw thrown;
  }
}
