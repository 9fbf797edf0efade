import { attempt, isWithin } from "@haft/system";
import { type BigIntStats, type FSWatcher, lstatSync, realpathSync, watch } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { containmentError } from "../errors.ts";
import { mayHaveLostBytes, nativePath, pathFromBytes } from "../mounts/raw-path.ts";
import type { ViewSpec } from "./view-spec.ts";

/** `frame`: a folder of the view around others. `open`: writable. `pinned`: writable, not movable. `held`: read-only. `hidden`: empty. */
export interface MountRule {
  path: string;
  kind: "frame" | "open" | "pinned" | "held" | "hidden";
  from?: string;
  folder: boolean;
  identity: string;
}

export interface UnprotectedPath {
  path: string;
  why: string;
}

export interface MountPlan {
  /** Upper paths first; the last match applies. */
  rules: MountRule[];
  unprotected: UnprotectedPath[];
}

export const PRIVATE_FOLDERS = ["/tmp", "/var/tmp", "/dev/shm", "/run"] as const;
const VIEW_FOLDERS = [...PRIVATE_FOLDERS, "/dev", "/proc"];
const NEVER_OPEN = ["/proc", "/dev", "/sys"];
/** Bubblewrap needs seconds for more. */
const MOST_RULES = 1000;
const RANK = { frame: 0, open: 1, pinned: 2, held: 3, hidden: 4 } as const;

/** @param required visible and read-only in any case */
export type MountPlanRequest = Pick<
  ViewSpec,
  "writable" | "readOnly" | "pinned" | "hidden" | "replaced" | "extra" | "unsearched"
> & {
  required?: readonly string[];
};

export function createMountPlan(wanted: MountPlanRequest): MountPlan {
  const { writable, readOnly, pinned, hidden, extra, required = [], unsearched = [], replaced = [] } = wanted;
  const byPath = new Map<string, MountRule>();
  const instead = new Map(replaced.map(({ path, from }) => [path, from]));
  const notHeld: UnprotectedPath[] = [];
  const add = (path: string, kind: MountRule["kind"], from = path): void => {
    const inspected = inspect(from);
    const known = byPath.get(path);
    if (inspected === undefined || (known !== undefined && RANK[known.kind] >= RANK[kind])) return;
    byPath.set(path, { path, kind, ...(from !== path && { from }), ...inspected });
  };
  for (const path of writable) add(path, "open");
  for (const one of extra) add(one.to, one.access === "rw" ? "open" : "held", checkedExtra(one, writable));
  const open = [...byPath.values()].filter(({ kind }) => kind === "open").map(({ path }) => path);
  const openAround = (path: string): string | undefined => nearest(path, open);
  const pinUpTo = (path: string, root: string): void => {
    for (let at = path; at !== root && isWithin(at, root); at = dirname(at)) add(at, "pinned");
  };
  const hold = (path: string): void => {
    const root = openAround(path);
    if (root === undefined || root === path) return;
    pinUpTo(dirname(path), root);
    if (lstatSync(nativePath(path), { throwIfNoEntry: false })?.isSymbolicLink() !== true)
      return add(path, "held");
    notHeld.push({ path, why: "it is a link, whose target can be replaced" });
    const target = resolveMountPath(path);
    const around = target === undefined ? undefined : openAround(target);
    if (target === undefined || around === undefined || around === target) return;
    pinUpTo(dirname(target), around);
    add(target, "held");
  };
  const hide = (path: string): void => {
    const from = instead.get(path);
    const isSameKind = from !== undefined && inspect(from)?.folder === inspect(path)?.folder;
    add(path, "hidden", isSameKind ? from : path);
  };
  for (const path of pinned.flatMap(resolveEntryPath)) {
    const root = openAround(path);
    if (root !== undefined && inspect(path)?.folder === true) pinUpTo(path, root);
  }
  readOnly.flatMap(resolveEntryPath).forEach(hold);
  for (const path of required.flatMap((one) => resolveMountPath(one) ?? [])) {
    if (isHiddenInView(path, open)) add(path, "held");
    else hold(path);
  }
  unsearched.forEach(hold);
  for (const [path, { kind }] of byPath)
    if (kind === "pinned" && unsearched.some((one) => isWithin(path, one))) byPath.delete(path);
  for (const path of hidden.flatMap((one) => resolveMountPath(one) ?? []))
    if (!isHiddenInView(path, open)) hide(path);
  for (const path of byPath.keys()) for (const frame of framesOf(path, open)) byPath.set(frame.path, frame);
  if (byPath.size > MOST_RULES) throw tooMany(byPath.size);
  return {
    rules: [...byPath.values()].toSorted((one, other) => depthOf(one.path) - depthOf(other.path)),
    unprotected: notHeld,
  };
}

export function isHiddenInView(path: string, open: readonly string[]): boolean {
  const around = nearest(path, [...VIEW_FOLDERS, ...open]);
  return around !== undefined && VIEW_FOLDERS.includes(around) && !open.includes(around);
}

/** Folders above that only the view has. As mounts they cannot be moved. */
function framesOf(path: string, open: readonly string[]): MountRule[] {
  const around = nearest(dirname(path), [...PRIVATE_FOLDERS, ...open]);
  if (around === undefined || open.includes(around)) return [];
  const frames: MountRule[] = [];
  for (let at = dirname(path); at !== around; at = dirname(at)) {
    frames.push({ path: at, kind: "frame", folder: true, identity: "" });
  }
  return frames;
}

function nearest(path: string, folders: readonly string[]): string | undefined {
  return folders
    .filter((one) => isWithin(path, one))
    .toSorted((one, other) => one.length - other.length)
    .at(-1);
}

export function checkWritableFolder(path: string): void {
  const isSystem = path === "/" || NEVER_OPEN.some((one) => isWithin(path, one));
  if (isAbsolute(path) && (!isSystem || isWithin(path, "/dev/shm"))) return;
  throw containmentError(
    "SANDBOX_UNSUPPORTED",
    `${JSON.stringify(path)} is ${isSystem ? "a folder of the system, which commands must not write to" : "no absolute path"}`,
    "Open the session in the folder of the project.",
  );
}

/** Changes no folder of the host: the mount point must exist. */
function checkedExtra({ from, to }: ViewSpec["extra"][number], open: readonly string[]): string {
  const real = resolveMountPath(from);
  const isThere = isHiddenInView(to, open) || resolveMountPath(to) === to;
  if (real !== undefined && inspect(real) !== undefined && isThere) return real;
  throw containmentError(
    "SANDBOX_UNSUPPORTED",
    `${JSON.stringify(from)} cannot be mounted at ${JSON.stringify(to)} in the view, because ${isThere ? "it" : "that path"} does not exist`,
    "Create it first, or use a path below /tmp or /run.",
  );
}

function tooMany(count: number): Error {
  return containmentError(
    "SANDBOX_UNSUPPORTED",
    `${count} files and folders must be protected or hidden, and a view supports at most ${MOST_RULES}`,
    "Protect or hide the folders that contain them, or open the session in a smaller folder.",
  );
}

export function readMountIdentity(path: string): string | undefined {
  const stats = lstatSync(nativePath(path), { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : formatMountIdentity(stats);
}

/** Inode numbers are reused at once. */
export function formatMountIdentity({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

export interface FileSnapshot {
  paths: readonly string[];
  stats: readonly (BigIntStats | undefined)[];
}

export function takeFileSnapshot(paths: readonly string[]): FileSnapshot {
  return {
    paths,
    stats: paths.map((path) => lstatSync(nativePath(path), { bigint: true, throwIfNoEntry: false })),
  };
}

export function matchesSnapshot({ paths, stats }: FileSnapshot): boolean {
  return paths.every((path, at) =>
    isUnchanged(stats[at], lstatSync(nativePath(path), { bigint: true, throwIfNoEntry: false })),
  );
}

function isUnchanged(one: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.ino !== other.ino || one.dev !== other.dev || one.birthtimeNs !== other.birthtimeNs) return false;
  return one.ctimeNs === other.ctimeNs || (one.isDirectory() && other.isDirectory());
}

/** Empty if its folder does not exist. */
export function resolveEntryPath(path: string): string[] {
  const folder = resolveMountPath(dirname(path));
  return folder === undefined ? [] : [join(folder, basename(path))];
}

function depthOf(path: string): number {
  return path.split("/").length;
}

function inspect(path: string): Pick<MountRule, "folder" | "identity"> | undefined {
  const stats = attempt(() => lstatSync(nativePath(path), { bigint: true, throwIfNoEntry: false }));
  if (stats === undefined || !(stats.isDirectory() || stats.isFile())) return undefined;
  return { folder: stats.isDirectory(), identity: formatMountIdentity(stats) };
}

export function resolveMountPath(path: string): string | undefined {
  const real = attempt(() => realpathSync.native(nativePath(path)));
  if (real === undefined || !mayHaveLostBytes(real)) return real;
  return attempt(() => pathFromBytes(realpathSync.native(nativePath(path), "buffer")));
}

const MOST = 64;

export class MountRuleWatcher {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #names = new Map<string, Set<string>>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Without a free watch, the next command finds the change. */
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
    if (name === basename(folder)) this.#forget(folder);
    if (this.#names.get(folder)?.has(name) === true || name === basename(folder)) this.#changed();
  }

  #forget(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }
}
