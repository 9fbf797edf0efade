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

/** Not among Node's constants. The same on every Linux architecture Node runs on. */
const O_PATH = 0o10000000;
// O_PATH asks for no permission but passage, has no side effect on what it opens and keeps no file system awake.
const OPEN_FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Handles kept open in the whole process, however many workspaces there are. */
const MAX_HANDLES = 64;
/** Milliseconds after which a handle nobody used is closed, so that file systems can be unmounted. */
const SWEEP_MS = 2_000;

/**
 * Folders as handles. A child is addressed as `/proc/self/fd/N/name`, so the kernel starts from the folder
 * that was opened, whatever has been moved or linked in its old place since.
 *
 * Handles are shared by all workspaces of the process and keyed by real path. That is safe because a handle is
 * never trusted: at each use the kernel is asked where it is, and the answer must be that very path. As the kernel
 * answers with real paths, this also proves that no component of it has become a link. What was mounted over it since
 * is noticed by what the path leads to.
 *
 * Answers `undefined` where there is no usable `/proc`.
 */
export function createKernelFolders(): Folders | undefined {
  shared ??= probe();
  return shared === "none" ? undefined : shared;
}

let shared: Folders | "none" | undefined;

function probe(): Folders | "none" {
  if (process.platform !== "linux") return "none";
  try {
    // The numbered folder resolves faster than `self`, and is right in the pid namespace `/proc` belongs to.
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
    const stats = lstatSync(entry, { throwIfNoEntry: false });
    if (stats === undefined) return "missing";
    if (stats.isSymbolicLink()) return "link";
    if (!stats.isDirectory()) return "other";
    // The kernel's name for it may differ in case or composition from the one that was asked for.
    const inside = (real: string) => real.startsWith(join(parent.path, "")) && dirname(real) === parent.path;
    return this.#keep(entry, inside) ?? "missing";
  }

  /** `undefined` when the folder vanished, moved or turned into something else in this moment. */
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

/** The real path of an open handle, as the kernel sees it now; none where it is longer than the kernel can answer. */
function whereIs(handle: string): string | undefined {
  return attempt(() => readlinkSync(handle));
}

class KernelFolder implements Folder {
  readonly path: string;
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
  }

  entry(name: string): string {
    return `${this.#address}/${name}`;
  }

  isCurrent(): boolean {
    return whereIs(this.#address) === this.path && !this.#isCovered();
  }

  /** Is something mounted over it, or over a folder above it? Its own path then leads somewhere else. */
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

  /** Closes at the next turn of the event loop: whoever works with this folder right now is synchronous. */
  discard(): void {
    setImmediate(() => this.#release());
  }

  #release(): void {
    this.#holders -= 1;
    if (this.#holders === 0) closeSync(this.#fd);
  }
}
