import { attempt } from "@haft/system";
import { type BigIntStats, lstatSync } from "node:fs";
import { nativePath } from "./raw-path.ts";

/** Of the entry itself, whatever a link leads to. `undefined` where nothing is; throws where this user may not look. */
export function statEntry(path: string): BigIntStats | undefined {
  return lstatSync(nativePath(path), { bigint: true, throwIfNoEntry: false });
}

/** The same; `undefined` also where this user may not look. */
export function tryStatEntry(path: string): BigIntStats | undefined {
  return attempt(() => statEntry(path));
}

/** Also true for a link that leads nowhere. */
export function entryExists(path: string): boolean {
  return tryStatEntry(path) !== undefined;
}

/** Tells a file or folder from all others, whatever it is called. Systems reuse inode numbers, so they do not suffice. */
export function formatFileIdentity({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

/** Empty where nothing is. */
export function readFileIdentity(path: string): string {
  const stats = tryStatEntry(path);
  return stats === undefined ? "" : formatFileIdentity(stats);
}

/** Another one after each change of a file: programs cannot set the change time. Empty where nothing is. */
export function readChangeStamp(path: string): string {
  const stats = tryStatEntry(path);
  return stats === undefined ? "" : `${stats.ino}:${stats.ctimeNs}`;
}
