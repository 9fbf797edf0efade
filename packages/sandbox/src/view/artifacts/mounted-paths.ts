import { attempt } from "@haft/system";
import { type FSWatcher, lstatSync, readdirSync, readFileSync, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { nativePath } from "../../mounts/raw-path.ts";
import { formatFileIdentity, tryStatEntry } from "../../mounts/stats.ts";

/** The system limits watches per user. */
const MOST_WATCHED = 64;

interface Mounted {
  identity: string;
  renames: number;
  changes: number;
}

/** Commands cannot change or rename mounted paths, so changes come from others. */
export class MountedPaths {
  readonly #mounted = new Map<string, Mounted>();
  readonly #watchers = new Map<string, FSWatcher>();

  add(path: string): void {
    const identity = identityOf(path);
    if (identity === "") return void this.#mounted.delete(path);
    if (this.#mounted.get(path)?.identity === identity) return;
    this.#mounted.set(path, { identity, renames: 0, changes: 0 });
    this.#watch(dirname(path));
  }

  cover(path: string): boolean {
    for (let at = path; at !== dirname(at); at = dirname(at)) {
      const mounted = this.#mounted.get(at);
      if (mounted !== undefined && mounted.identity === identityOf(at)) return true;
    }
    return false;
  }

  /** True if another file replaced a mounted file in one step, which only the host can do. Call it after mounting over the new file. */
  async wasReplaced(path: string): Promise<boolean> {
    // Waits for earlier events.
    for (let times = 0; times < 3; times++) await turn();
    const mounted = this.#mounted.get(path);
    const isWatched = this.#watchers.has(dirname(path));
    const isOneStep = isWatched && mounted?.renames === 1 && mounted.changes === 0;
    return isOneStep && !isOpenInViews(path);
  }

  get paths(): readonly string[] {
    return [...this.#mounted.keys()];
  }

  hasFile(identity: string): boolean {
    return [...this.#mounted.values()].some((one) => one.identity === identity);
  }

  has(path: string): boolean {
    return this.#mounted.has(path);
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watch(folder: string): void {
    if (this.#watchers.has(folder) || this.#watchers.size >= MOST_WATCHED) return;
    const watcher = attempt(() => watch(nativePath(folder), { persistent: false, encoding: "utf8" }));
    if (watcher === undefined) return;
    this.#watchers.set(folder, watcher);
    const stop = (): void => {
      watcher.close();
      this.#watchers.delete(folder);
    };
    watcher.on("change", (event, name) => {
      if (String(name) === basename(folder)) return stop();
      const path = `${folder === "/" ? "" : folder}/${String(name)}`;
      const mounted = this.#mounted.get(path);
      if (mounted === undefined) return;
      if (event === "rename") mounted.renames++;
      else if (identityOf(path) !== mounted.identity) mounted.changes++;
    });
    watcher.on("error", stop);
  }
}

function identityOf(path: string): string {
  const stats = tryStatEntry(path);
  return stats === undefined || stats.isSymbolicLink() ? "" : formatFileIdentity(stats);
}

/** A view's first process and the runner, which commands cannot control. */
const OF_HAFT = 2;
const WRITES = 0o3;

/** True if a process of a view may write to the file, or cannot be inspected. */
function isOpenInViews(path: string): boolean {
  const stats = attempt(() => lstatSync(nativePath(path), { bigint: true }));
  const hostDepth = namespacesOf("self").length;
  const all = attempt(() => readdirSync("/proc")) ?? [];
  return all.some((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    const numbers = namespacesOf(pid);
    if (numbers.length <= hostDepth || numbers.at(-1)! <= OF_HAFT) return false;
    return stats === undefined || mayWrite(pid, stats);
  });
}

function namespacesOf(pid: string): number[] {
  const status = attempt(() => readFileSync(`/proc/${pid}/status`, "latin1")) ?? "";
  return (/^NSpid:\s*(.*)$/m.exec(status)?.[1] ?? "").split(/\s+/).filter(Boolean).map(Number);
}

function mayWrite(pid: string, { dev, ino }: { dev: bigint; ino: bigint }): boolean {
  try {
    const maps = readFileSync(`/proc/${pid}/maps`, "latin1");
    if (new RegExp(String.raw`^\S+ .w.s \S+ \S+ ${ino} `, "m").test(maps)) return true;
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const found = attempt(() => statSync(`/proc/${pid}/fd/${fd}`, { bigint: true }));
      if (found?.ino !== ino || found.dev !== dev) return false;
      const info = attempt(() => readFileSync(`/proc/${pid}/fdinfo/${fd}`, "latin1"));
      const flags = /^flags:\s*(\d+)$/m.exec(info ?? "")?.[1];
      return flags === undefined || (Number.parseInt(flags, 8) & WRITES) !== 0;
    });
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return code !== "ENOENT" && code !== "ESRCH";
  }
}
