import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** The Node that is bound into sandboxes. */
export interface StagedNode {
  path: string;
  /** Commands cannot look into the process that runs it: neither memory, nor environment, nor open files. */
  guarded: boolean;
}

const EXECUTE_ONLY = 0o111;
/** Copies that no host has used for so long are removed. */
const KEEP_MS = 30 * 24 * 60 * 60 * 1000;
const staged = new Map<string, Promise<StagedNode>>();

/**
 * A copy of the Node that runs this program, which may be executed but not read. The kernel does not let anybody
 * trace a process whose program he cannot read, so commands of the same user are kept out of the runner. The copy
 * can also be reached by whoever the sandbox runs as, wherever Node is installed. Made once for each version.
 */
export function stageNode(folder: string = defaultCache()): Promise<StagedNode> {
  let staging = staged.get(folder);
  if (staging === undefined) {
    staging = stage(folder).catch(() => ({ path: process.execPath, guarded: false }));
    staged.set(folder, staging);
  }
  return staging;
}

/** Where what every sandbox shares is kept. */
export function defaultCache(): string {
  // Root's own cache folder is closed to those whom sandboxes run as.
  if (process.getuid?.() === 0) return "/var/cache/haft";
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "haft");
}

async function stage(folder: string): Promise<StagedNode> {
  const source = "/proc/self/exe";
  const { dev, ino, size, mtimeMs } = await stat(source);
  const hash = createHash("sha256").update(`${dev} ${ino} ${size} ${mtimeMs}`).digest("hex").slice(0, 12);
  const path = join(folder, `node-${process.version}-${hash}`);
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const own = process.getuid?.();
  const { uid, mode } = await stat(folder);
  if (uid !== own || (mode & 0o022) !== 0) throw new Error(`${folder} can be written by others`);
  const found = await lstat(path).catch(() => undefined);
  const usable =
    found?.isFile() === true &&
    found.uid === own &&
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
  await removeOld(folder);
  return { path, guarded: true };
}

async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith("node-v")) continue;
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > KEEP_MS) await rm(path, { force: true });
  }
}
