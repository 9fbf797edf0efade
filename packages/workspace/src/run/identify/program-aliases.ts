import { attempt } from "@haft/system/processes";
import type { Stats } from "node:fs";
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

const SYSTEM_FOLDERS = ["/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin"];
const MAX_COPIES = 20;
/** Some file systems have a resolution of two seconds. */
const FRESH_MS = 2_100;
const BUFFER_BYTES = 256 * 1024;

interface Listing {
  changedMs: number;
  bySize: ReadonlyMap<number, readonly string[]>;
}

const listings = new Map<string, Listing>();

export function findProgramAliases(realPath: string, path: string | undefined): string[] {
  const file = lstatSync(realPath);
  if (!file.isFile()) return [];
  const copies: string[] = [];
  for (const folder of foldersOf(path)) {
    for (const name of listingOf(folder).get(file.size) ?? []) {
      const other = join(folder, name);
      if (other !== realPath && attempt(() => isCopy(realPath, file, other)) === true) copies.push(other);
      if (copies.length === MAX_COPIES) return copies;
    }
  }
  return copies;
}

function foldersOf(path: string | undefined): Set<string> {
  const named = [...(path ?? "").split(delimiter).filter(isAbsolute), ...SYSTEM_FOLDERS];
  return new Set(named.flatMap((folder) => attempt(() => realpathSync.native(folder)) ?? []));
}

/** Reads again after a possible change of the folder. Misses files rewritten in place. */
function listingOf(folder: string): Listing["bySize"] {
  const changedMs = attempt(() => statSync(folder).mtimeMs) ?? 0;
  const known = listings.get(folder);
  if (known?.changedMs === changedMs) return known.bySize;
  const bySize = new Map<number, string[]>();
  for (const name of attempt(() => readdirSync(folder)) ?? []) {
    const stats = attempt(() => lstatSync(join(folder, name)));
    if (stats?.isFile() !== true) continue;
    const same = bySize.get(stats.size);
    if (same === undefined) bySize.set(stats.size, [name]);
    else same.push(name);
  }
  if (Date.now() - changedMs > FRESH_MS) listings.set(folder, { changedMs, bySize });
  return bySize;
}

function isCopy(realPath: string, file: Stats, other: string): boolean {
  const stats = lstatSync(other);
  if (stats.dev === file.dev && stats.ino === file.ino) return true;
  return stats.isFile() && stats.size === file.size && hasSameContent(realPath, other);
}

function hasSameContent(one: string, other: string): boolean {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const fds = [openSync(one, flags)];
  try {
    fds.push(openSync(other, flags));
    const buffers = fds.map(() => Buffer.allocUnsafe(BUFFER_BYTES));
    for (;;) {
      const [first, second] = fds.map((fd, at) => {
        const buffer = buffers[at]!;
        return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, null));
      });
      if (!first!.equals(second!)) return false;
      if (first!.length === 0) return true;
    }
  } finally {
    for (const fd of fds) closeSync(fd);
  }
}
