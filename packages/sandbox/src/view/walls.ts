import { attempt, isWithin } from "@haft/workspace/internal/system";
import { lstatSync, realpathSync } from "node:fs";
import { dirname, join, basename } from "node:path";
import type { ViewSpec } from "./view-spec.ts";

/**
 * One place of a view that is otherwise than what is around it. `open`: can be written. `pinned`: can be written and not
 * be moved. `held`: stays as it is. `hidden`: is not there.
 */
export interface Wall {
  path: string;
  kind: "open" | "pinned" | "held" | "hidden";
  /** What of the host is there, when it is not what is called so. */
  from?: string;
  folder: boolean;
  /** Which file or folder of the host that was when it was looked at. */
  identity: string;
}

/** What was asked for and cannot be held by a mount, with the reason. */
export interface NotHeld {
  path: string;
  why: string;
}

export interface Plan {
  /** What is nearer to the root first: of several that a path lies in, the last one counts. */
  walls: Wall[];
  notHeld: NotHeld[];
}

/** Folders that every view has for itself, empty at first. */
export const PRIVATE = ["/tmp", "/var/tmp", "/dev/shm", "/run"] as const;
/** Made by the view; nothing of the host is seen there. */
const OWN = [...PRIVATE, "/dev", "/proc"];
const RANK = { open: 0, pinned: 1, held: 2, hidden: 3 } as const;

/** What has to be mounted for this, as things are now. What is not there is left out. */
export function planWalls(spec: Pick<ViewSpec, "writable" | "held" | "pinned" | "hidden" | "extra">): Plan {
  const walls = new Map<string, Wall>();
  const notHeld: NotHeld[] = [];
  const add = (path: string, kind: Wall["kind"], from = path): void => {
    const looked = look(from);
    if (looked === undefined) return;
    const known = walls.get(path);
    if (known !== undefined && RANK[known.kind] >= RANK[kind]) return;
    walls.set(path, { path, kind, ...(from !== path && { from }), ...looked });
  };
  for (const path of spec.writable) add(path, "open");
  for (const { from, to, access } of spec.extra)
    add(to, access === "rw" ? "open" : "held", realOf(from) ?? from);
  const open = [...walls.values()].filter(({ kind }) => kind === "open").map(({ path }) => path);
  const rootOf = (path: string): string | undefined =>
    open.filter((root) => isWithin(path, root)).toSorted((one, other) => other.length - one.length)[0];
  const pin = (path: string, root: string): void => {
    for (let at = path; at !== root && isWithin(at, root); at = dirname(at)) add(at, "pinned");
  };
  const place = (path: string): string | undefined => {
    const folder = realOf(dirname(path));
    return folder === undefined ? undefined : join(folder, basename(path));
  };
  for (const path of spec.pinned.flatMap((one) => place(one) ?? [])) {
    const root = rootOf(path);
    if (root !== undefined && look(path)?.folder === true) pin(path, root);
  }
  for (const path of spec.held.flatMap((one) => place(one) ?? [])) {
    const root = rootOf(path);
    // Nothing outside can be written anyway.
    if (root === undefined || root === path) continue;
    pin(dirname(path), root);
    const link = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    if (!link) {
      add(path, "held");
      continue;
    }
    notHeld.push({ path, why: "it is a link, and something else can be put in its place" });
    const target = realOf(path);
    const around = target === undefined ? undefined : rootOf(target);
    if (target === undefined || around === undefined || around === target) continue;
    pin(dirname(target), around);
    add(target, "held");
  }
  for (const path of spec.hidden.flatMap((one) => realOf(one) ?? [])) {
    if (!isGone(path, open)) add(path, "hidden");
  }
  return { walls: [...walls.values()].toSorted(byDepth), notHeld };
}

/** Is nothing of it seen in a view anyway? */
export function isGone(path: string, open: readonly string[]): boolean {
  const nearest = [...OWN, ...open]
    .filter((one) => isWithin(path, one))
    .toSorted((one, other) => other.length - one.length)[0];
  return nearest !== undefined && OWN.includes(nearest) && !open.includes(nearest);
}

export function identityOf(path: string): string | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}

function byDepth(one: Wall, other: Wall): number {
  return depthOf(one.path) - depthOf(other.path);
}

function depthOf(path: string): number {
  return path === "/" ? 0 : path.split("/").length;
}

/** Of what can be mounted; sockets and pipes are looked after elsewhere. */
function look(path: string): Pick<Wall, "folder" | "identity"> | undefined {
  const stats = attempt(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
  if (stats === undefined || !(stats.isDirectory() || stats.isFile())) return undefined;
  return { folder: stats.isDirectory(), identity: `${stats.dev}:${stats.ino}` };
}

function realOf(path: string): string | undefined {
  return attempt(() => realpathSync(path));
}
