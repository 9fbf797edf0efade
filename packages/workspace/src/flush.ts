import { close, constants, fsync, open } from "node:fs";
import { promisify } from "node:util";
import { errnoOf } from "./failures.ts";
import type { Folder } from "./folders.ts";

/** Flushes a file to disk, off the event loop. */
export const flush: (fd: number) => Promise<void> = promisify(fsync);

/** Flushes a folder, so that its names survive a power cut too. */
export async function flushFolder(folder: Folder): Promise<void> {
  // Folders are held by handles that cannot be flushed, so a proper one is opened.
  const fd = await promisify(open)(folder.entry("."), constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await flush(fd);
  } catch (thrown) {
    // Some file systems have nothing to flush in a folder and say so.
    if (errnoOf(thrown) !== "EINVAL") throw thrown;
  } finally {
    await promisify(close)(fd);
  }
}
