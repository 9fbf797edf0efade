import { isWithin } from "@haft/system";
import { lstatSync } from "node:fs";
import { failure, type Request } from "./failures.ts";
import type { BoundaryHost } from "./host.ts";
import { isSameFile } from "./walk/file-stat.ts";
import type { EntryLocation } from "./walk/walk.ts";

/** @throws HaftError `READ_ONLY`, `CONSENT_NEEDED` */
export function checkWritable(host: BoundaryHost, location: EntryLocation, request: Request): void {
  host.guards.check([location.path, ...location.rest].join("/"), request);
  const { mount: rootMount } = location;
  const closed = host.table.mounts.filter((mount) => mount.access === "ro" && mount !== rootMount);
  const nested = closed.map(({ path }) => path).filter((path) => isWithin(path, rootMount.path));
  if (rootMount.access === "ro" || (nested.length > 0 && isInside(location, nested)))
    throw failure("READ_ONLY", request);
}

/** Compares by identity, because case folding and bind mounts give a folder several spellings. */
function isInside(location: EntryLocation, folders: readonly string[]): boolean {
  const statPath = (path: string) => lstatSync(path, { bigint: true, throwIfNoEntry: false });
  const targets = folders.map(statPath).filter((stats) => stats !== undefined);
  const top = statPath(location.mount.path);
  let up = location.folder.entry(".");
  for (let depth = 0; depth <= location.path.split("/").length; depth += 1) {
    const stats = statPath(up);
    if (stats === undefined) return true; // The folder is being removed.
    if (targets.some((target) => isSameFile(target, stats))) return true;
    if (top === undefined || isSameFile(top, stats)) return false;
    up = `${up}/..`;
  }
  return false;
}
