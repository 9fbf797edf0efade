import { attempt } from "@haft/system";
import { type BigIntStats, lstatSync } from "node:fs";
import { nativePath } from "./raw-path.ts";

/** Does not follow links. Returns `undefined` if the path does not exist; throws if this user may not look. */
export function statEntry(path: string): BigIntStats | undefined {
  return lstatSync(nativePath(path), { bigint: true, throwIfNoEntry: false });
}

/** Like {@link statEntry}, but also returns `undefined` if this user may not look. */
export function tryStatEntry(path: string): BigIntStats | undefined {
  return attempt(() => statEntry(path));
}

/** Also true for a broken link. */
export function entryExists(path: string): boolean {
  return tryStatEntry(path) !== undefined;
}

/** Identifies a file independently of its name. Inode numbers alone do not suffice, because they are reused. */
export function formatFileIdentity({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

/** Returns an empty string if the path does not exist. */
export function readFileIdentity(path: string): string {
  const stats = tryStatEntry(path);
  return stats === undefined ? "" : formatFileIdentity(stats);
}

/** Differs after each change of a file: programs cannot set the change time. Empty if the path does not exist. */
export function readChangeStamp(path: string): string {
  const stats = tryStatEntry(path);
  return stats === undefined ? "" : `${stats.ino}:${stats.ctimeNs}`;
}
