import { attempt } from "@haft/system";
import { type BigIntStats, lstatSync } from "node:fs";
import { nativePath } from "./raw-path.ts";

/** Does not follow links. `undefined`: missing. Throws without permission. */
export function statEntry(path: string): BigIntStats | undefined {
  return lstatSync(nativePath(path), { bigint: true, throwIfNoEntry: false });
}

export function tryStatEntry(path: string): BigIntStats | undefined {
  return attempt(() => statEntry(path));
}

/** Also true for a broken link. */
export function entryExists(path: string): boolean {
  return tryStatEntry(path) !== undefined;
}

/** Independent of the name. Inode numbers are reused. */
export function formatFileIdentity({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

export function readFileIdentity(path: string): string {
  const stats = tryStatEntry(path);
  return stats === undefined ? "" : formatFileIdentity(stats);
}

/** Differs after each change, because programs cannot set the change time. Empty for a missing path. */
export function readChangeStamp(path: string): string {
  const stats = tryStatEntry(path);
  return stats === undefined ? "" : `${stats.ino}:${stats.ctimeNs}`;
}
