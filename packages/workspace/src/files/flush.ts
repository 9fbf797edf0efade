import { close, constants, fsync, open } from "node:fs";
import { getErrno } from "../boundary/failures.ts";
import type { Folder } from "../boundary/walk/folders.ts";

export function flush(fd: number): Promise<void> {
  return fromCallback((done) => fsync(fd, done));
}

/** Afterwards, names in the folder survive a power cut. */
export async function flushFolder(folder: Folder): Promise<void> {
  const fd = await fromCallback<number>((done) =>
    open(folder.entry("."), constants.O_RDONLY | constants.O_DIRECTORY, done),
  );
  try {
    await flush(fd);
  } catch (thrown) {
    if (getErrno(thrown) !== "EINVAL") throw thrown;
  } finally {
    await fromCallback((done) => close(fd, done));
  }
}

type Done<T> = (error: NodeJS.ErrnoException | null | undefined, value?: T) => void;

export function fromCallback<T = void>(start: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => (error ? reject(error) : resolve(value as T)));
  });
}
