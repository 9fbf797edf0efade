import type { HaftError, WriteResult } from "@haft/core";
import type { WriteOptions } from "@haft/core/internal";
import { attempt, temporaryName } from "@haft/system";
import type { BigIntStats } from "node:fs";
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
} from "node:fs";
import { checkWritable } from "../boundary/check-writable.ts";
import { checkAborted, getErrno, failure, type Request } from "../boundary/failures.ts";
import type { BoundaryHost } from "../boundary/host.ts";
import { toFileStat } from "../boundary/walk/file-stat.ts";
import type { Folder } from "../boundary/walk/folders.ts";
import {
  checkRegular,
  checkVersion,
  statEntry,
  inspectEntry,
  inspectTarget,
  openFile,
} from "../boundary/walk/open-file.ts";
import type { EntryLocation } from "../boundary/walk/walk.ts";
import { flush, flushFolder } from "./flush.ts";
import { type CreatedFolders, makeParents } from "./make-folders.ts";
import { moveExclusively } from "./move-exclusively.ts";
import { SLICE_BYTES } from "./read-file.ts";
import { overwriteFile } from "./replace/overwrite-file.ts";
import { takeAccess } from "./replace/take-access.ts";
import { writeAll } from "./write-all.ts";

/**
 * Writes a new file, which takes the name in one step. Overwrites the old file if the new cannot get its owner or access list, or if the old
 * is a mount point.
 */
export function writeFile(
  host: BoundaryHost,
  request: Request,
  bytes: Uint8Array,
  options: WriteOptions,
): Promise<WriteResult> {
  const content: Content = {
    into: (fd, check) => writeAll(fd, bytes, check),
    requireIn: (fd) => requireWritten(fd, bytes, request),
  };
  return writeContent(host, request, content, options);
}

export interface Content {
  into(fd: number, check: () => void): Promise<void>;
  /** @throws HaftError `FILE_SYSTEM_FAILED` if the content differs */
  requireIn(fd: number): Promise<void>;
}

export async function writeContent(
  host: BoundaryHost,
  request: Request,
  content: Content,
  options: WriteOptions,
): Promise<WriteResult> {
  checkAborted(options.signal, request);
  const exclusive = options.mode === "create";
  const found = (exclusive ? inspectEntry : inspectTarget)(host.walk, request);
  checkTarget(found.location, found.stats, request, options);
  checkWritable(host, found.location, request);

  if (options.parents === false && found.location.rest.length > 0)
    throw failure("FILE_NOT_FOUND", request, NO_FOLDER);
  const made = makeParents(host, found.location, request, options.fence);
  try {
    return await replace(host, made, found.stats, request, content, options);
  } catch (thrown) {
    made.undo();
    throw thrown;
  } finally {
    made.release();
  }
}

const NO_FOLDER = {
  why: "its folder does not exist",
  fix: "Create the folder first, or let `parents` do it.",
};

function checkTarget(
  location: EntryLocation,
  old: BigIntStats | undefined,
  request: Request,
  options: WriteOptions,
): void {
  if (old?.isDirectory() === true) throw failure("IS_DIRECTORY", request);
  if (options.mode === "create" && old !== undefined) throw failure("FILE_EXISTS", request);
  checkVersion(old, request, options.ifMatch);
  if (location.mustBeFolder)
    throw failure("IS_DIRECTORY", request, { why: "the path has the form of a folder" });
  if (old === undefined) return;
  checkRegular(old, location, request);
  // A rename would also replace a read-only file.
  accessSync(location.folder.entry(location.name), constants.W_OK);
}

async function replace(
  host: BoundaryHost,
  { location, parents }: CreatedFolders,
  old: BigIntStats | undefined,
  request: Request,
  content: Content,
  options: WriteOptions,
): Promise<WriteResult> {
  const { folder, name } = location;
  const temporary = folder.entry(temporaryName());
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const isNew = old === undefined && options.like === undefined;
  // A replacement is private until it has the access of the old file. A new file gets its final mode, so that the umask and default rights
  // apply.
  const fd = openSync(temporary, flags, isNew ? (options.permissions ?? 0o666) : 0o600);
  let published = false;
  let isSame = true;
  try {
    // The file is still empty, so earlier rights reveal nothing.
    const isAlike = await takeAccess(host, location, old, fd, request, options);
    await content.into(fd, () => checkAborted(options.signal, request));
    if (options.durable === true) await flush(fd);

    checkAborted(options.signal, request);
    if (!folder.isCurrent()) throw failure("PATH_CHANGED", request);
    options.fence?.check();
    if (old !== undefined && options.like === undefined && !isAlike)
      return await overwriteFile(location, old, fd, request, options, (file) => content.requireIn(file));
    if (old === undefined && (options.mode === "create" || options.ifMatch === null)) {
      isSame = publishNew(temporary, folder.entry(name), request, options);
    } else {
      if (options.ifMatch !== undefined) checkVersion(statEntry(location), request, options.ifMatch);
      const isMounted = !renameUnlessMounted(temporary, folder.entry(name), old);
      if (isMounted)
        return await overwriteFile(location, old!, fd, request, options, (file) => content.requireIn(file));
    }
    published = true;
    if (!folder.isCurrent()) throw movedAway(folder, name, old, request);
    if (options.durable === true) for (const changed of [folder, ...parents]) await flushFolder(changed);
    const stats = isSame ? await readBack(fd, content) : await readBackAt(location, content, request);
    const lost = isAlike ? {} : { accessLost: true as const };
    return { created: old === undefined, stat: toFileStat(stats), verified: true, ...lost };
  } finally {
    closeSync(fd);
    if (!published) removeQuietly(temporary);
  }
}

async function readBack(fd: number, content: Content): Promise<BigIntStats> {
  await content.requireIn(fd);
  return fstatSync(fd, { bigint: true });
}

async function readBackAt(location: EntryLocation, content: Content, request: Request): Promise<BigIntStats> {
  const { fd } = openFile(location, statEntry(location), constants.O_RDONLY, request);
  try {
    return await readBack(fd, content);
  } finally {
    closeSync(fd);
  }
}

/** Returns `false` if the kernel does not replace the file because something is mounted on it: `docker run -v app.conf:/etc/app.conf`. */
function renameUnlessMounted(from: string, to: string, old: BigIntStats | undefined): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (thrown) {
    if (old === undefined || getErrno(thrown) !== "EBUSY") throw thrown;
    return false;
  }
}

function publishNew(temporary: string, target: string, request: Request, options: WriteOptions): boolean {
  try {
    return moveExclusively(temporary, target);
  } catch (thrown) {
    if (getErrno(thrown) !== "EEXIST") throw thrown;
    throw failure(options.mode === "create" ? "FILE_EXISTS" : "FILE_CHANGED", request);
  }
}

function movedAway(folder: Folder, name: string, old: BigIntStats | undefined, request: Request) {
  if (old !== undefined) return failure("PATH_CHANGED", request, { receipt: "committed" });
  removeQuietly(folder.entry(name));
  return failure("PATH_CHANGED", request);
}

function removeQuietly(path: string): void {
  attempt(() => unlinkSync(path));
}

/** A piece fits the processor's cache. */
const PIECE_BYTES = 256 * 1024;
/** Reused, because no other code runs before the comparison of a piece. */
let scratch: Buffer | undefined;

export async function requireWritten(fd: number, bytes: Uint8Array, request: Request): Promise<void> {
  const into =
    bytes.length < PIECE_BYTES
      ? Buffer.allocUnsafe(bytes.length)
      : (scratch ??= Buffer.allocUnsafe(PIECE_BYTES));
  for (let done = 0; done < bytes.length;) {
    if (done > 0 && done % SLICE_BYTES === 0) await new Promise((resolve) => setImmediate(resolve));
    const count = readSync(fd, into, 0, Math.min(into.length, bytes.length - done), done);
    if (count === 0 || into.compare(bytes, done, done + count, 0, count) !== 0)
      throw notWrittenError(request);
    done += count;
  }
}

export function notWrittenError(request: Request): HaftError {
  return failure("FILE_SYSTEM_FAILED", request, {
    why: "the file does not contain the written bytes",
    receipt: "committed",
  });
}
