import { sha256 } from "@haft/core/internal";
import { randomBytes } from "node:crypto";
import { lstat, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dockerError } from "../../errors.ts";
import { ownFolder } from "../../programs/own-folder.ts";

/**
 * A profile of system calls in a file, for Podman: what Docker takes as text, it takes as a path.
 *
 * @param folder of this user, to which nobody else may write
 * @throws HaftError `SANDBOX_START_FAILED`
 */
export async function profileFile(profile: string, folder: string): Promise<string> {
  try {
    await ownFolder(folder);
    const hash = sha256(profile).slice(0, 16);
    const path = join(folder, `system-calls-${hash}.json`);
    const found = await lstat(path).catch(() => undefined);
    const isOurs = found?.isFile() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
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
