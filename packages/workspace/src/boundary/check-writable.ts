import { isWithin } from "@haft/system";
import { lstatSync } from "node:fs";
import { failure, type Request } from "./failures.ts";
import type { BoundaryHost } from "./host.ts";
import { isSameFile } from "./walk/file-stat.ts";
import type { EntryLocation } from "./walk/walk.ts";

/** @throws HaftError `READ_ONLY`, `CONSENT_NEEDED` */
export function checkWritable(host: BoundaryHost, place: EntryLocation, request: Request): void {
  host.guards.check([place.path, ...place.rest].join("/"), request);
  const { mount: own } = place;
  const closed = host.table.mounts.filter((mount) => mount.access === "ro" && mount !== own);
  const nested = closed.map(({ path }) => path).filter((path) => isWithin(path, own.path));
  if (own.access === "ro" || (nested.length > 0 && isInside(place, nested)))
    throw failure("READ_ONLY", request);
}

/** Compares by identity, because case folding and bind mounts give a folder several spellings. */
function isInside(place: EntryLocation, folders: readonly string[]): boolean {
  const look = (path: string) => lstatSync(path, { bigint: true, throwIfNoEntry: false });
  const targets = folders.map(look).filter((stats) => stats !== undefined);
  const top = look(place.mount.path);
  let up = place.folder.entry(".");
  for (let depth = 0; depth <= place.path.split("/").length; depth += 1) {
    const stats = look(up);
    if (stats === undefined) return true; // The folder is being removed.
    if (targets.some((target) => isSameFile(target, stats))) return true;
    if (top === undefined || isSameFile(top, stats)) return false;
    up = `${up}/..`;
  }
  return false;
}
