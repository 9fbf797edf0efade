import { close, constants, fsync, open } from "node:fs";
import { getErrno } from "../boundary/failures.ts";
import type { Folder } from "../boundary/walk/folders.ts";

export function flush(fd: number): Promise<void> {
  return fromCallback((done) => fsync(fd, done));
}

/** Flushes a folder, so that its names survive a power cut too. */
export async function flushFolder(folder: Folder): Promise<void> {
  // Folders are held by handles that cannot be flushed, so a proper one is opened.
  const fd = await fromCallback<number>((done) =>
    open(folder.entry("."), constants.O_RDONLY | constants.O_DIRECTORY, done),
  );
  try {
    await flush(fd);
  } catch (thrown) {
    // Some file systems have nothing to flush in a folder and say so.
    if (getErrno(thrown) !== "EINVAL") throw thrown;
  } finally {
    await fromCallback((done) => close(fd, done));
  }
}

type Done<T> = (error: NodeJS.ErrnoException | null | undefined, value?: T) => void;

/** As `promisify`, whose module loads many others. */
export function fromCallback<T = void>(start: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => (error ? reject(error) : resolve(value as T)));
  });
}
