import {
  type DirectoryEntry,
  type FileSystem,
  HaftError,
  type ScanOptions,
  type ScanPage,
  type WriteResult,
} from "@haft/core";
import type { Fence } from "@haft/core/internal";
import { attempt, isWithin, isAlive, type ProcessIdentity, isEndedWriter, parseWriter } from "@haft/system";
import {
  closeSync,
  constants,
  type Dir,
  fstatSync,
  ftruncateSync,
  lstatSync,
  opendirSync,
  unlinkSync,
} from "node:fs";
import { checkWritable } from "../boundary/check-writable.ts";
import { failure, type Request, toFailure } from "../boundary/failures.ts";
import type { BoundaryHost } from "../boundary/host.ts";
import type { BoundaryOptions } from "../boundary/open-boundary.ts";
import { toFileStat, getFileType } from "../boundary/walk/file-stat.ts";
import type { Folder } from "../boundary/walk/folders.ts";
import { checkHardLinks, inspectEntry, inspectTarget, openFile } from "../boundary/walk/open-file.ts";
import { locationPath } from "../boundary/walk/walk.ts";
import { DEFAULT_LIST_LIMIT } from "../defaults.ts";
import { checkFenceBetweenSteps } from "../fence/check-between.ts";
import { readOuterIgnores } from "../scan/read-outer-ignores.ts";
import { makeFolders } from "./make-folders.ts";
import { readFile } from "./read-file.ts";
import { removeEntry } from "./remove-entry.ts";
import { renameEntry } from "./rename-entry.ts";
import { hasAccessList } from "./replace/take-access.ts";
import { writeAll } from "./write-all.ts";
import { writeFile } from "./write-file.ts";

/** Scans a folder of a boundary with these settings. */
export type Scanner = (request: {
  boundary: BoundaryHost;
  settings: BoundaryOptions;
  path: string;
  options: ScanOptions;
}) => Promise<AsyncIterable<ScanPage>>;

export function createHostFileSystem(
  host: BoundaryHost,
  scanner?: { settings: BoundaryOptions; scan: Scanner },
): FileSystem {
  return {
    stat: (path, options) =>
      perform({ verb: "look at", path }, (request) => statEntry(host, request, options)),
    realpath: (path) =>
      perform({ verb: "resolve", path }, async (request) => locationPath(host.walk.resolve(request))),
    list: (path, options) =>
      perform({ verb: "list", path }, (request) => listFolder(host, request, options?.limit)),
    read: (path, options = {}) =>
      perform({ verb: "read", path }, (request) => readFile(host, request, options)),
    write: (path, bytes, options = {}) =>
      perform({ verb: "write", path }, (request) => writeFile(host, request, bytes, options)),
    append: (path, bytes, options = {}) =>
      perform({ verb: "append to", path }, (request) => appendFile(host, request, bytes, options.fence)),
    mkdirp: (path, options = {}) =>
      perform({ verb: "create the folder", path }, (request) => makeFolders(host, request, options.fence)),
    remove: (path, options = {}) =>
      perform({ verb: "remove", path }, (request) => removeEntry(host, request, options)),
    rename: (path, to, options = {}) =>
      perform({ verb: "move", path }, (from) =>
        renameEntry(host, { from, to: { verb: "move to", path: to } }, options),
      ),
    check: (path, access, options) =>
      perform({ verb: access, path }, async (request) => checkAccess(host, request, access, options)),
    scan: (path, options) =>
      perform({ verb: "list", path }, async () =>
        scanner?.scan({ boundary: host, settings: scanner.settings, path, options }),
      ),
    outerIgnores: (path) =>
      perform({ verb: "look at", path }, (request) =>
        readOuterIgnores(host.walk.resolve(request).mount.path, host.home),
      ),
  };
}

async function perform<T>(request: Request, operation: (request: Request) => Promise<T>): Promise<T> {
  try {
    return await operation(request);
  } catch (thrown) {
    throw toFailure(thrown, request);
  }
}

async function statEntry(
  host: BoundaryHost,
  request: Request,
  options: { follow?: boolean; accessList?: boolean } = {},
) {
  try {
    const { location, stats } = (options.follow === false ? inspectEntry : inspectTarget)(host.walk, request);
    if (stats === undefined) return undefined;
    if (options.accessList !== true || !stats.isFile()) return toFileStat(stats);
    return { ...toFileStat(stats), accessList: await hasAccessList(location, stats, request) };
  } catch (thrown) {
    if (HaftError.is(thrown) && (thrown.code === "FILE_NOT_FOUND" || thrown.code === "NOT_A_DIRECTORY"))
      return undefined;
    throw thrown;
  }
}

function checkAccess(
  host: BoundaryHost,
  request: Request,
  access: "read" | "write",
  { follow = true }: { follow?: boolean } = {},
): void {
  const { location, stats } = (follow ? inspectTarget : inspectEntry)(host.walk, request);
  if (access === "read") {
    if (stats?.isFile() === true) checkHardLinks(host, location, stats, request);
    return;
  }
  if (!follow && host.table.mounts.some((mount) => isWithin(mount.path, location.path)))
    throw failure("root-pinned", request);
  checkWritable(host, location, request);
}

async function appendFile(
  host: BoundaryHost,
  request: Request,
  bytes: Uint8Array,
  fence?: Fence,
): Promise<WriteResult> {
  const { location, stats } = inspectTarget(host.walk, request);
  checkWritable(host, location, request);
  if (stats === undefined) {
    try {
      return await writeFile(host, request, bytes, { ifMatch: null, ...(fence && { fence }) });
    } catch (thrown) {
      if (HaftError.is(thrown) && thrown.code === "FILE_CHANGED")
        return appendFile(host, request, bytes, fence);
      throw thrown;
    }
  }

  const { fd, stats: before } = openFile(location, stats, constants.O_WRONLY | constants.O_APPEND, request);
  try {
    // An append would change its other names as well.
    if (before.nlink > 1n) throw failure("HARD_LINKED", request);
    if (!location.folder.isCurrent()) throw failure("PATH_CHANGED", request);
    fence?.check();
    try {
      await writeAll(fd, bytes, () => checkFenceBetweenSteps(fence, request, "a part of it was written"));
    } catch (thrown) {
      // Another host may have appended since, so the file is not truncated.
      if (HaftError.is(thrown) && thrown.code === "SESSION_LEASE_LOST") throw thrown;
      ftruncateSync(fd, Number(before.size));
      throw thrown;
    }
    return { created: false, stat: toFileStat(fstatSync(fd, { bigint: true })) };
  } finally {
    closeSync(fd);
  }
}

const BATCH = 1_000;

/** Skips temporary files, and removes those of dead processes. */
async function listFolder(
  host: BoundaryHost,
  request: Request,
  limit: number = DEFAULT_LIST_LIMIT,
): Promise<{ entries: DirectoryEntry[]; truncated: boolean }> {
  const location = host.walk.resolve(request);
  const folder = host.walk.enter(location, request);
  const release = folder.hold();
  let listing: Dir | undefined;
  try {
    listing = opendirSync(folder.entry("."), { bufferSize: 256 });
    const entries: DirectoryEntry[] = [];
    for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) {
      const writer = parseWriter(entry.name);
      if (writer !== undefined) {
        if (location.mount.access === "rw") removeAbandoned(folder, entry.name, writer);
        continue;
      }
      if (entries.length >= limit) return { entries, truncated: true };
      entries.push({ name: entry.name, type: getFileType(entry) });
      if (entries.length % BATCH === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    return { entries, truncated: false };
  } finally {
    listing?.closeSync();
    release();
  }
}

/** Younger files stay unless their writer is known: a process of another machine may share the folder. */
const ABANDONED_AFTER_MS = 60_000;

function removeAbandoned(folder: Folder, name: string, writer: ProcessIdentity): void {
  if (isAlive(writer)) return;
  attempt(() => {
    const entry = folder.entry(name);
    if (isEndedWriter(writer) || Date.now() - lstatSync(entry).mtimeMs > ABANDONED_AFTER_MS)
      unlinkSync(entry);
  });
}
