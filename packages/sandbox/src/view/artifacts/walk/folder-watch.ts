import { attempt, isWithin } from "@haft/system";
import { type FSWatcher, lstatSync, readFileSync, rmSync, statfsSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { hostMountTable } from "../../../mounts/mount-table.ts";
import { nativePath } from "../../../mounts/raw-path.ts";

export interface ReadFolder {
  /** Milliseconds; negative if it may have changed since. */
  changed: number;
  number: number;
}

/** Watches are limited per user. */
const MOST = 16_384;
const SHARE = 4;
const LIMIT = "/proc/sys/fs/inotify/max_user_watches";
/** The kernel drops events only far above this number. */
const MOST_EVENTS = 1000;
const PATIENCE_MS = 100;
const SLICE = 100;
/** ext, xfs, btrfs, tmpfs, overlayfs, f2fs: only this machine can change them. */
const LOCAL: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010,
]);

/** "Unchanged" is certain: its own event arrives after all earlier events. */
export class FolderWatch {
  readonly #privateFolder: string;
  readonly #watchers = new Map<string, { watcher: FSWatcher; number: number }>();
  readonly #most: number;
  readonly #waiting = new Map<string, () => void>();
  #eventWatcher: FSWatcher | undefined;
  #isWhole = false;
  #isChanged = false;
  #events = 0;
  #scan = 0;
  #count = 0;

  constructor(privateFolder: string, roots: readonly string[]) {
    this.#privateFolder = privateFolder;
    const limit = Number(attempt(() => readFileSync(LIMIT, "latin1")) ?? 0);
    const isLocal =
      roots.every((root) => LOCAL.has(Number(attempt(() => statfsSync(root).type)))) &&
      !hostMountTable().some(({ path }) => roots.some((root) => path !== root && isWithin(path, root)));
    this.#most = isLocal ? Math.min(MOST, Math.floor(limit / SHARE)) : 0;
  }

  reset(): void {
    this.#scan++;
    this.#isWhole = false;
    this.#isChanged = false;
    this.#events = 0;
  }

  async follow(folders: ReadonlyMap<string, ReadFolder>): Promise<void> {
    const scan = this.#scan;
    for (const [path, { watcher, number }] of this.#watchers) {
      if (folders.get(path)?.number === number) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
    if (folders.size > this.#most || folders.size === 0) return this.close();
    this.#eventWatcher ??= this.#watchPrivateFolder();
    let placed = 0;
    for (const [path, folder] of folders) {
      if (this.#watchers.has(path)) continue;
      if (!this.#watch(path, folder)) return;
      if (++placed % SLICE !== 0) continue;
      await turn();
      if (scan !== this.#scan) return;
    }
    this.#isWhole = this.#eventWatcher !== undefined;
  }

  async isQuiet(): Promise<boolean> {
    if (!this.#isSure()) return false;
    const name = `event-${++this.#count}`;
    const path = join(this.#privateFolder, name);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiting.set(name, () => resolve(true));
    const timer = setTimeout(() => resolve(false), PATIENCE_MS);
    try {
      writeFileSync(path, "", { mode: 0o600 });
      return (await promise) && this.#isSure();
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(name);
      attempt(() => rmSync(path, { force: true }));
    }
  }

  close(): void {
    this.#scan++;
    this.#isWhole = false;
    this.#eventWatcher?.close();
    this.#eventWatcher = undefined;
    for (const { watcher } of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #isSure(): boolean {
    return this.#isWhole && !this.#isChanged && this.#events < MOST_EVENTS;
  }

  #watch(path: string, { changed, number }: ReadFolder): boolean {
    const watcher = attempt(() => watch(nativePath(path), { persistent: false }));
    if (watcher === undefined) return false;
    watcher.on("change", (kind) => {
      this.#events++;
      if (kind === "rename") this.#isChanged = true;
    });
    watcher.on("error", () => (this.#isChanged = true));
    this.#watchers.set(path, { watcher, number });
    // It may have changed between the scan and the watch.
    const stats = attempt(() => lstatSync(nativePath(path)));
    if (stats?.ctimeMs !== changed || stats.ino !== number) this.#isChanged = true;
    return true;
  }

  #watchPrivateFolder(): FSWatcher | undefined {
    const watcher = attempt(() => watch(this.#privateFolder, { persistent: false }));
    watcher?.on("change", (_kind, name) => this.#waiting.get(String(name))?.());
    watcher?.on("error", () => this.close());
    return watcher;
  }
}
