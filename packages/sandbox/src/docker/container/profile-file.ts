import { sessionRootOf } from "@haft/workspace/internal/system";
import { createHash, randomBytes } from "node:crypto";
import { lstat, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dockerError } from "../../errors.ts";

/**
 * A profile of system calls in a file, for Podman: what Docker takes as text, it takes as a path.
 *
 * @param folder of this user, to which nobody else may write
 * @throws HaftError `SANDBOX_START_FAILED`
 */
export async function profileFile(profile: string, folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const root = sessionRootOf(folder);
    if (root !== undefined) throw new Error(`${folder} lies in ${root}, where a session works`);
    const own = process.getuid?.();
    const { uid, mode } = await stat(folder);
    if (uid !== own || (mode & 0o022) !== 0) throw new Error(`${folder} can be written by others`);
    const hash = createHash("sha256").update(profile).digest("hex").slice(0, 16);
    const path = join(folder, `system-calls-${hash}.json`);
    const found = await lstat(path).catch(() => undefined);
    const isOurs = found?.isFile() === true && found.uid === own && (found.mode & 0o022) === 0;
    if (isOurs && (await readFile(path, "utf8")) === profile) return path;
    const temporary = `${path}.${randomBytes(4).toString("hex")}`;
    try {
      await writeFile(temporary, profile, { mode: 0o444, flag: "wx" });
      await rename(temporary, path);
    } finally {
      await rm(temporary, { force: true });
    }
    return path;
  } catch (thrown) {
    throw dockerError(
      "SANDBOX_START_FAILED",
      `Podman takes the list of system calls from a file, and it could not be written: ${(thrown as Error).message}`,
      "Name a `cacheFolder` that belongs to you and that nobody else may write to.",
      { cause: thrown },
    );
  }
}
