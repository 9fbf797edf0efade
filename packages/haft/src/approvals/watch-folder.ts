import { watch, type FSWatcher } from "node:fs";

/** Milliseconds between two looks, for changes that no event told of (network file systems, too many watches). */
const LOOK_MS = 2_000;

/**
 * Calls `look` when something in a folder may have changed, and every two seconds whatever happened. Does not keep the
 * process alive. Returns the way to stop.
 */
export function watchFolder(path: string, look: () => void): () => void {
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(path, { persistent: false }, look);
    watcher.on("error", () => watcher?.close());
  } catch {
    // The looks are slower, and enough.
  }
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    watcher?.close();
  };
}
