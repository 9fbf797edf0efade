import { findSessionRoot } from "@haft/system";
import { makeFolder, sha256 } from "@haft/utils";
import { constants } from "node:fs";
import { chmod, copyFile, lstat, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";

const EXECUTE_ONLY = 0o111;
const KEEP_MS = 30 * 24 * 60 * 60 * 1000;

/** Creates or reuses a copy that may be executed but not read, so that the kernel forbids tracing. */
export async function executeOnlyCopy(source: string, prefix: string, folder: string): Promise<string> {
  const { dev, ino, size, mtimeMs } = await stat(source);
  const hash = sha256(`${dev} ${ino} ${size} ${mtimeMs}`).slice(0, 12);
  const path = join(folder, `${prefix}${hash}`);
  await makeProgramFolder(folder);
  const found = await lstat(path).catch(() => undefined);
  const usable =
    found?.isFile() === true &&
    found.uid === process.getuid?.() &&
    found.size === size &&
    (found.mode & 0o777) === EXECUTE_ONLY;
  if (!usable) {
    const temporary = `${path}.${process.pid}`;
    try {
      await copyFile(source, temporary, constants.COPYFILE_FICLONE);
      await chmod(temporary, EXECUTE_ONLY);
      await rename(temporary, path);
    } finally {
      await rm(temporary, { force: true });
    }
  }
  const now = new Date();
  await utimes(path, now, now);
  return path;
}

export async function removeUnused(prefix: string, folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > KEEP_MS) await rm(path, { force: true });
  }
}

/** Throws if a session works in it, or other users can write to it. */
export async function makeProgramFolder(folder: string): Promise<void> {
  makeFolder(folder, 0o755);
  const root = findSessionRoot(folder);
  if (root !== undefined) throw new Error(`${folder} is in ${root}, where a session works`);
  const { uid, mode } = await stat(folder);
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0) throw new Error(`others can write to ${folder}`);
}
