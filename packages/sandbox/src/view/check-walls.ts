import { attempt, isWithin } from "@haft/workspace/internal/system";
import { lstatSync } from "node:fs";
import { DEVICES } from "../bubblewrap/device-nodes.ts";
import { containmentBroken } from "../errors.ts";
import type { MountEntry } from "../mounts/mount-table.ts";
import { parseMountTable } from "../mounts/mount-table.ts";
import { containsNothing } from "./open-namespaces.ts";
import type { Wall } from "./walls.ts";
import { PRIVATE } from "./walls.ts";

/** Of several in one place the last is the one that is seen. */
export function mountedIn(table: string): Map<string, MountEntry> {
  return new Map(parseMountTable(table).map((one) => [one.path, one]));
}

/**
 * Looks from outside whether everything is as it was planned: nothing can be written but what is to be, and every wall is
 * there and is of what was looked at.
 *
 * @throws HaftError `CONTAINMENT_UNAVAILABLE`, `CONTAINMENT_BROKEN` when the host was faster
 */
export function checkWalls(pid: number, table: string | undefined, walls: readonly Wall[]): void {
  const mounted = mountedIn(table ?? "");
  if (mounted.size === 0) throw containsNothing("what is mounted there cannot be seen");
  const places = [
    { path: "/", writable: false },
    { path: "/proc", writable: true },
    ...[...DEVICES, "pts"].map((name) => ({ path: `/dev/${name}`, writable: true })),
    ...PRIVATE.map((path) => ({ path, writable: true })),
    ...walls.map(({ path, kind }) => ({ path, writable: kind === "open" || kind === "pinned" })),
  ];
  for (const { path, readOnly } of mounted.values()) {
    const nearest = places
      .filter((one) => isWithin(path, one.path))
      .toSorted((one, other) => one.path.length - other.path.length)
      .at(-1);
    if (nearest?.writable === false && !readOnly) throw containsNothing(`${path} can be written`);
  }
  if (!mounted.has("/")) throw containsNothing("the root folder is the host's");
  const missing = walls.find((wall) => !holds(pid, wall, mounted));
  if (missing !== undefined) {
    throw containmentBroken(
      `${missing.path} was replaced while it was made, or is not ${missing.kind} in it`,
    );
  }
}

/** Is it mounted where it should be, and is it what was looked at? */
export function holds(pid: number, wall: Wall, mounted: ReadonlyMap<string, MountEntry>): boolean {
  const entry = mounted.get(wall.path);
  if (entry === undefined) return false;
  if (wall.kind === "hidden" || wall.kind === "frame") return entry.readOnly;
  if (wall.kind === "held" && !entry.readOnly) return false;
  return seenIn(pid, wall.path) === wall.identity;
}

/** Which file or folder that is in the view. */
export function seenIn(pid: number, path: string): string | undefined {
  const stats = attempt(() => lstatSync(`/proc/${pid}/root${path}`, { bigint: true }));
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}
