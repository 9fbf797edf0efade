import { attempt } from "@haft/system";
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { isSameFile } from "./file-stat.ts";
import { type Folder, type Folders, join } from "./folders.ts";

const O_PATH = 0o10000000;
// Needs no permission but search, and does not keep a file system busy.
const OPEN_FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Applies to the whole process. */
const MAX_HANDLES = 64;
/** Unused handles are closed, so that file systems can be unmounted. */
const SWEEP_MS = 2_000;

/**
 * Opens folders as handles. A child has the path `/proc/self/fd/N/name`, so the kernel starts from the opened folder. Returns `undefined`
 * without a usable `/proc`. Before each use, the kernel must report the expected real path, so no component has become a link. A comparison
 * with the folder at the path detects later mounts over it.
 */
export function createKernelFolders(): Folders | undefined {
  shared ??= probe();
  return shared === "none" ? undefined : shared;
}

let shared: Folders | "none" | undefined;

function probe(): Folders | "none" {
  if (process.platform !== "linux") return "none";
  try {
    // Faster than `self`, and correct in the PID namespace of `/proc`.
    const handles = `/proc/${readlinkSync("/proc/self")}/fd/`;
    const folders = new KernelFolders(handles);
    return folders.at("/") === undefined ? "none" : folders;
  } catch {
    return "none";
  }
}

class KernelFolders implements Folders {
  readonly level = "kernel";
  readonly #handles: string;
  readonly #open = new Map<string, KernelFolder>();
  #sweeper: NodeJS.Timeout | undefined;

  constructor(handles: string) {
    this.#handles = handles;
  }

  known(path: string): Folder | undefined {
    const folder = this.#open.get(path);
    if (folder === undefined) return undefined;
    if (folder.isCurrent()) {
      folder.used = true;
      return folder;
    }
    this.#drop(folder);
    return undefined;
  }

  at(path: string): Folder | undefined {
    const known = this.known(path);
    if (known !== undefined) return known;
    return this.#keep(path, (real) => real === path);
  }

  open(parent: Folder, name: string): Folder | "missing" | "link" | "other" {
    const path = join(parent.path, name);
    const known = this.known(path);
    if (known !== undefined) return known;
    const entry = parent.entry(name);
    const inside = (real: string) => real.startsWith(join(parent.path, "")) && dirname(real) === parent.path;
    const opened = this.#keep(entry, inside);
    if (opened !== undefined) return opened;
    const stats = lstatSync(entry, { throwIfNoEntry: false });
    if (stats === undefined || stats.isDirectory()) return "missing";
    return stats.isSymbolicLink() ? "link" : "other";
  }

  #keep(address: string, expected: (real: string) => boolean): KernelFolder | undefined {
    let fd: number;
    try {
      fd = openSync(address, OPEN_FOLDER);
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return undefined;
      throw thrown;
    }
    const handle = this.#handles + fd;
    const path = whereIs(handle);
    if (path === undefined || !expected(path)) {
      closeSync(fd);
      return undefined;
    }
    if (this.#open.size >= MAX_HANDLES) this.#drop(this.#open.values().next().value!);
    const folder = new KernelFolder(handle, fd, path);
    this.#open.set(path, folder);
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
    return folder;
  }

  #drop(folder: KernelFolder): void {
    if (this.#open.get(folder.path) === folder) this.#open.delete(folder.path);
    folder.discard();
  }

  #sweep(): void {
    for (const folder of this.#open.values()) {
      if (folder.used) folder.used = false;
      else this.#drop(folder);
    }
    if (this.#open.size > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }
}

function whereIs(handle: string): string | undefined {
  return attempt(() => readlinkSync(handle));
}

class KernelFolder implements Folder {
  readonly path: string;
  readonly size: number;
  used = true;
  readonly #address: string;
  readonly #fd: number;
  readonly #stats: BigIntStats;
  #holders = 1;

  constructor(address: string, fd: number, path: string) {
    this.#address = address;
    this.#fd = fd;
    this.path = path;
    this.#stats = fstatSync(fd, { bigint: true });
    this.size = Number(this.#stats.size);
  }

  entry(name: string): string {
    return `${this.#address}/${name}`;
  }

  isCurrent(): boolean {
    return whereIs(this.#address) === this.path && !this.#isCovered();
  }

  /** A mount over the folder, or over a folder above it, changes the target of its path. */
  #isCovered(): boolean {
    const now = attempt(() => statSync(this.path, { bigint: true, throwIfNoEntry: false }));
    return now !== undefined && !isSameFile(now, this.#stats);
  }

  contains(): boolean {
    return true;
  }

  hold(): () => void {
    this.#holders += 1;
    return () => this.#release();
  }

  discard(): void {
    setImmediate(() => this.#release());
  }

  #release(): void {
    this.#holders -= 1;
    if (this.#holders === 0) closeSync(this.#fd);
  }
}
