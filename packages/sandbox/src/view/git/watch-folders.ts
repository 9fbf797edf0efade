import { attempt } from "@haft/system";
import { type FSWatcher, watch } from "node:fs";

/** Without free watches, checks before each command remain. */
export function watchFolders(
  folders: readonly string[],
  changed: (name: string, folder: string) => void,
): FSWatcher[] {
  return folders.flatMap((folder) => {
    const watcher = attempt(() => watch(folder, { persistent: false }));
    watcher?.on("change", (_event, name) => changed(String(name), folder));
    watcher?.on("error", () => watcher.close());
    return watcher === undefined ? [] : [watcher];
  });
}
