import { attempt } from "@haft/workspace/internal/system";
import { accessSync, constants, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { DEVICES } from "../bubblewrap/device-nodes.ts";
import { containmentBroken } from "../errors.ts";
import { type MountEntry, parseMountTable } from "../mounts/mount-table.ts";
import { nativePath } from "../mounts/raw-path.ts";
import { containsNothing } from "./open-namespaces.ts";
import { identityIn, wallIdentityOf, PRIVATE, type Wall } from "./walls.ts";

export function mountedIn(table = ""): Map<string, MountEntry> {
  return new Map(parseMountTable(table).map((one) => [one.path, one]));
}

export function leftOpen(walls: readonly Wall[], mounted: ReadonlyMap<string, MountEntry>): MountEntry[] {
  const writable = new Map([["/", false]]);
  for (const path of ["/proc", ...[...DEVICES, "pts"].map((name) => `/dev/${name}`), ...PRIVATE]) {
    writable.set(path, true);
  }
  for (const { path, kind } of walls) writable.set(path, kind === "open" || kind === "pinned");
  return [...mounted.values()].filter(({ path, readOnly }) => {
    let nearest = path;
    while (!writable.has(nearest)) nearest = dirname(nearest);
    return !readOnly && writable.get(nearest) === false;
  });
}

/** Looks from outside whether only planned places can be written, and every wall is the one that was looked at. */
export function checkWalls(pid: number, table: string | undefined, walls: readonly Wall[]): void {
  const mounted = mountedIn(table);
  if (mounted.size === 0) throw containsNothing("what is mounted there cannot be seen");
  if (!mounted.has("/")) throw containsNothing("the root folder is the host's");
  const [open] = leftOpen(walls, mounted);
  if (open !== undefined) throw containsNothing(`${open.path} can be written`);
  const ofHost = PRIVATE.find((path) => {
    const isFolder = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    return (
      isFolder && wallIdentityOf(path) === seenIn(pid, path) && !walls.some((wall) => wall.path === path)
    );
  });
  if (ofHost !== undefined) throw containsNothing(`${ofHost} is the host's`);
  const replaced = replacedOf(walls);
  if (replaced !== undefined) throw replaced;
  const missing = walls.find((wall) => !holds(pid, wall, mounted));
  if (missing !== undefined) throw containsNothing(`${missing.path} is not ${missing.kind}`);
  const closed = walls.find(({ path, kind }) => kind === "open" && mounted.get(path)?.readOnly === true);
  // There may be file systems on the host that nobody can write to.
  if (closed !== undefined && isAllowed(closed.from ?? closed.path, constants.W_OK)) {
    throw containmentBroken(`${closed.path} cannot be written in it`, { details: { path: closed.path } });
  }
}

export function replacedOf(walls: readonly Wall[]): Error | undefined {
  const replaced = walls.find(
    ({ path, from = path, kind, identity }) => kind !== "frame" && wallIdentityOf(from) !== identity,
  );
  if (replaced === undefined) return undefined;
  return containmentBroken(`${replaced.path} was replaced while it was made`, {
    fix: "Run the command again.",
    details: { path: replaced.path },
  });
}

export function holds(pid: number, wall: Wall, mounted: ReadonlyMap<string, MountEntry>): boolean {
  const entry = mounted.get(wall.path);
  if (entry === undefined) return false;
  if (wall.kind === "frame" || (wall.kind === "hidden" && wall.from === undefined)) return entry.readOnly;
  if (wall.kind === "hidden" && !entry.readOnly) return false;
  if (wall.kind === "held" && !entry.readOnly) return false;
  return seenIn(pid, wall.path) === wall.identity;
}

export function isAllowed(path: string, mode: number): boolean {
  const allowed = attempt(() => {
    accessSync(path, mode);
    return true;
  });
  return allowed === true;
}

function seenIn(pid: number, path: string): string | undefined {
  const stats = attempt(() => lstatSync(nativePath(`/proc/${pid}/root${path}`), { bigint: true }));
  return stats === undefined ? undefined : identityIn(stats);
}
