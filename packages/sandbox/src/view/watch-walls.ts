import { attempt } from "@haft/workspace/internal/system";
import type { FSWatcher } from "node:fs";
import { watch } from "node:fs";
import { basename, dirname } from "node:path";
import { nativePath } from "../mounts/raw-path.ts";

/** Folders that are watched at most: each takes of what the system allows a user. */
const MOST = 64;

/** Tells at once when the host puts something else in the place of a wall, so that it is not open until the next command. */
export class WallWatcher {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #names = new Map<string, Set<string>>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** From now on of these; where the system does not let us, it is noticed with the next command. */
  follow(paths: readonly string[]): void {
    this.#names.clear();
    for (const path of paths) {
      const names = this.#names.get(dirname(path)) ?? new Set();
      this.#names.set(dirname(path), names.add(basename(path)));
    }
    for (const [folder, watcher] of this.#watchers) {
      if (this.#names.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of this.#names.keys()) {
      if (this.#watchers.has(folder) || this.#watchers.size >= MOST) continue;
      const watcher = attempt(() => watch(nativePath(folder), { persistent: false }));
      if (watcher === undefined) continue;
      this.#watchers.set(folder, watcher);
      watcher.on("change", (_, name) => this.#noticed(folder, String(name)));
      watcher.on("error", () => this.#forget(folder));
    }
  }

  close(): void {
    for (const folder of this.#watchers.keys()) this.#forget(folder);
  }

  #noticed(folder: string, name: string): void {
    // A folder that was moved or replaced is another one, and has to be watched anew.
    if (name === basename(folder)) this.#forget(folder);
    if (this.#names.get(folder)?.has(name) === true || name === basename(folder)) this.#changed();
  }

  #forget(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }
}
