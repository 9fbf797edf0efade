import { makeFolder } from "@haft/core/internal";
import { sessionRootOf } from "@haft/workspace/internal/system";
import { stat } from "node:fs/promises";

/**
 * Makes a folder for what is started or believed later, where it is not there.
 *
 * @throws Error when a session works in it, or anybody but this user can write to it
 */
export async function ownFolder(folder: string): Promise<void> {
  makeFolder(folder, 0o755);
  const root = sessionRootOf(folder);
  if (root !== undefined) throw new Error(`${folder} lies in ${root}, where a session works`);
  const { uid, mode } = await stat(folder);
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0)
    throw new Error(`${folder} can be written by others`);
}
