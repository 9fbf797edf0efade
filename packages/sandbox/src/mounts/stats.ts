import { attempt } from "@haft/workspace/internal/system";
import { type BigIntStats, lstatSync } from "node:fs";
import { nativePath } from "./raw-path.ts";

/** Of the entry itself, whatever a link leads to. `undefined` where nothing is; throws where this user may not look. */
export function lookAt(path: string): BigIntStats | undefined {
  return lstatSync(nativePath(path), { bigint: true, throwIfNoEntry: false });
}

/** The same; `undefined` also where this user may not look. */
export function statsOf(path: string): BigIntStats | undefined {
  return attempt(() => lookAt(path));
}

/** Also true for a link that leads nowhere. */
export function isThere(path: string): boolean {
  return statsOf(path) !== undefined;
}

/** Tells a file or folder from all others, whatever it is called. Systems reuse inode numbers, so they do not suffice. */
export function statIdentityIn({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

/** Empty where nothing is. */
export function identityOf(path: string): string {
  const stats = statsOf(path);
  return stats === undefined ? "" : statIdentityIn(stats);
}

/** Another one after each change of a file: programs cannot set the change time. Empty where nothing is. */
export function changeStamp(path: string): string {
  const stats = statsOf(path);
  return stats === undefined ? "" : `${stats.ino}:${stats.ctimeNs}`;
}
