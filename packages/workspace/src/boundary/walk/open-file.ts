import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { failure, type FailureCode, type Request } from "../failures.ts";
import type { ReadBoundary } from "../host.ts";
import { getFileVersion } from "./file-stat.ts";
import type { EntryLocation, Walk } from "./walk.ts";

/** Does not follow links. */
export function statEntry(location: EntryLocation): BigIntStats | undefined {
  if (location.rest.length > 0) return undefined;
  return lstatSync(location.folder.entry(location.name), { bigint: true, throwIfNoEntry: false });
}

export interface Inspection {
  location: EntryLocation;
  stats: BigIntStats | undefined;
}

export function inspectEntry(walk: Walk, request: Request): Inspection {
  const location = walk.locate(request, true);
  return { location, stats: statEntry(location) };
}

export function inspectTarget(walk: Walk, request: Request): Inspection {
  let location = walk.locate(request);
  let stats = statEntry(location);
  while (stats?.isSymbolicLink() === true) {
    location = walk.follow(location, request);
    stats = statEntry(location);
  }
  return { location, stats };
}

export interface OpenFile {
  fd: number;
  stats: BigIntStats;
}

/** Opening wakes no pipe or device, because the location was checked. Later pipes and devices are rejected. */
export function openFile(
  location: EntryLocation,
  seen: BigIntStats | undefined,
  flags: number,
  request: Request,
): OpenFile {
  if (seen === undefined) throw failure("FILE_NOT_FOUND", request);
  checkRegular(seen, location, request);
  const fd = openSync(
    location.folder.entry(location.name),
    flags | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  );
  try {
    const stats = fstatSync(fd, { bigint: true });
    checkRegular(stats, location, request);
    if (!location.folder.contains(location.name, stats)) throw failure("PATH_CHANGED", request);
    return { fd, stats };
  } catch (thrown) {
    closeSync(fd);
    throw thrown;
  }
}

export function checkRegular(stats: BigIntStats, location: EntryLocation, request: Request): void {
  let code: FailureCode | undefined;
  if (stats.isDirectory()) code = "IS_DIRECTORY";
  else if (!stats.isFile()) code = "NOT_A_FILE";
  else if (location.mustBeFolder) code = "NOT_A_DIRECTORY";
  if (code !== undefined) throw failure(code, request);
}

/** @throws HaftError `FILE_CHANGED`; `null` expects a missing file */
export function checkVersion(
  now: BigIntStats | undefined,
  request: Request,
  expected: string | null | undefined,
): void {
  if (expected === undefined) return;
  const version = now === undefined ? null : getFileVersion(now);
  if (version === expected) return;
  throw failure("FILE_CHANGED", request, {
    ...(version === null && { why: "it is gone" }),
    details: { version },
  });
}

const PACKAGE_FOLDER = /\/(?:node_modules|site-packages)\//;
const READABLE_BY_ALL = 0o004;

export function checkHardLinks(
  host: ReadBoundary,
  location: EntryLocation,
  stats: BigIntStats,
  request: Request,
): void {
  if (stats.nlink > 1n && !mayShareFile(host, location.path, Number(stats.mode)))
    throw failure("HARD_LINKED", request);
}

export function mayShareFile({ hardLinks, table }: ReadBoundary, path: string, mode: number): boolean {
  if (hardLinks !== "packages") return hardLinks === "allow";
  const within = path.slice(table.containing(path)?.path.length ?? 0);
  return PACKAGE_FOLDER.test(within) && (mode & READABLE_BY_ALL) !== 0;
}

export function readNow(fd: number, target: Uint8Array, offset: number): number {
  let done = 0;
  while (done < target.length) {
    const count = readSync(fd, target, done, target.length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}
