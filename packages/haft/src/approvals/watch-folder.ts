import { watch, type FSWatcher } from "node:fs";

/** Milliseconds between two looks, for changes that no event told of (network file systems, too many watches). */
const LOOK_MS = 2_000;

export interface FolderWatch {
  close(): void;
}

/**
 * Calls `look` when something in a folder may have changed, and every two seconds whatever happened. Does not keep the
 * process alive.
 */
export function watchFolder(path: string, look: () => void): FolderWatch {
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(path, { persistent: false }, look);
    watcher.on("error", () => watcher?.close());
  } catch {
    // The looks are slower, and enough.
  }
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return {
    close() {
      clearInterval(timer);
      watcher?.close();
    },
  };
}
