import type { Fence } from "@haft/core/internal";
import {
  type BigIntStats,
  closeSync,
  constants,
  mkdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from "node:fs";
import { checkWritable } from "../boundary/check-writable.ts";
import { getErrno, failure, type Request } from "../boundary/failures.ts";
import type { BoundaryHost } from "../boundary/host.ts";
import { isSameFile, getFileVersion } from "../boundary/walk/file-stat.ts";
import { checkHardLinks, checkVersion, statEntry, openFile } from "../boundary/walk/open-file.ts";
import type { EntryLocation } from "../boundary/walk/walk.ts";
import { checkFenceBetweenSteps } from "../fence/check-between.ts";
import { moveExclusively } from "./move-exclusively.ts";
import { findEntry } from "./remove-entry.ts";
import { copyAll, isCopy } from "./write-all.ts";
import { type Content, notWrittenError, writeContent } from "./write-file.ts";

interface RenameRequest {
  from: Request;
  to: Request;
}

export async function renameEntry(
  host: BoundaryHost,
  { from, to }: RenameRequest,
  options: { ifMatch?: string; replace?: boolean; fence?: Fence },
): Promise<void> {
  const source = findEntry(host, from);
  if (source.stats.isDirectory() && isPinned(host, source.location)) throw failure("root-pinned", from);
  checkVersion(source.stats, from, options.ifMatch);

  const target = host.walk.locate(to, true);
  if (target.rest.length > 0) {
    throw failure("FILE_NOT_FOUND", to, {
      why: "its folder does not exist",
      fix: "Create the folder first.",
    });
  }
  const old = statEntry(target);
  checkTarget(host, target, old, source.stats, to);
  // A rename that changes only case or composition finds the file itself at its target.
  const itself = old !== undefined && source.stats.nlink === 1n && isSameFile(old, source.stats);
  const overwrite = options.replace === true || itself;
  if (old !== undefined && !overwrite) throw failure("FILE_EXISTS", to);

  if (!source.location.folder.isCurrent()) throw failure("PATH_CHANGED", from);
  if (!target.folder.isCurrent()) throw failure("PATH_CHANGED", to);
  options.fence?.check();
  try {
    move(source.location, target, source.stats, overwrite);
  } catch (thrown) {
    const code = getErrno(thrown);
    if (code === "EXDEV" && source.stats.isFile())
      return await moveAcross(host, { from, to }, source, { overwrite, fence: options.fence });
    if (code === "EEXIST" || code === "ENOTEMPTY") throw failure("FILE_EXISTS", to, { cause: thrown });
    if (code === "EINVAL") throw failure("INVALID_PATH", to, { why: "a folder cannot be moved into itself" });
    throw thrown;
  }
  if (!target.folder.isCurrent()) throw failure("PATH_CHANGED", to, { receipt: "committed" });
}

function checkTarget(
  host: BoundaryHost,
  target: EntryLocation,
  old: BigIntStats | undefined,
  source: BigIntStats,
  request: Request,
): void {
  checkWritable(host, target, request);
  const isRoot = target.name === "." || host.table.mounts.some((mount) => mount.path === target.path);
  // A folder with a pinned name would move files to protected paths.
  if (isRoot || (source.isDirectory() && isPinned(host, target))) throw failure("root-pinned", request);
  if (target.mustBeFolder && !source.isDirectory()) throw failure("NOT_A_DIRECTORY", request);
  if (old?.isDirectory() === true && !source.isDirectory()) throw failure("IS_DIRECTORY", request);
  if (old !== undefined && !old.isDirectory() && source.isDirectory())
    throw failure("NOT_A_DIRECTORY", request);
}

function isPinned({ deny, guards }: BoundaryHost, { path }: EntryLocation): boolean {
  return deny.pins(path) || guards.pins(path);
}

function move(source: EntryLocation, target: EntryLocation, stats: BigIntStats, overwrite: boolean): void {
  const from = source.folder.entry(source.name);
  const to = target.folder.entry(target.name);
  if (overwrite) return renameSync(from, to);
  if (!stats.isDirectory()) {
    moveExclusively(from, to);
    return;
  }
  // A rename would replace an empty folder, so an empty folder takes the name first.
  mkdirSync(to);
  try {
    renameSync(from, to);
  } catch (thrown) {
    rmdirSync(to);
    throw thrown;
  }
}

async function moveAcross(
  host: BoundaryHost,
  { from, to }: RenameRequest,
  { location, stats }: { location: EntryLocation; stats: BigIntStats },
  { overwrite, fence }: { overwrite: boolean; fence: Fence | undefined },
): Promise<void> {
  const { fd, stats: opened } = openFile(location, stats, constants.O_RDONLY, from);
  const release = location.folder.hold();
  try {
    checkHardLinks(host, location, opened, from);
    const version = getFileVersion(opened);
    checkVersion(stats, from, version);
    const content: Content = {
      into: (target, check) => copyAll(target, fd, check),
      async requireIn(target) {
        if (!(await isCopy(target, fd))) throw notWrittenError(to);
      },
    };
    const mode = overwrite ? "replace" : "create";
    await writeContent(host, to, content, {
      mode,
      like: from.path,
      parents: false,
      ...(fence && { fence }),
    });
    const now = statEntry(location);
    if (now === undefined || getFileVersion(now) !== version || !location.folder.isCurrent()) {
      throw failure("FILE_CHANGED", from, {
        why: "it changed during the copy, and was not removed",
        receipt: "committed",
      });
    }
    checkFenceBetweenSteps(fence, from, "it was copied, but not removed");
    try {
      unlinkSync(location.folder.entry(location.name));
    } catch (thrown) {
      if (getErrno(thrown) === "ENOENT") return;
      if (overwrite)
        throw failure("FILE_SYSTEM_FAILED", from, {
          why: "it was copied, but cannot be removed",
          receipt: "committed",
          cause: thrown,
        });
      // Two files would remain.
      const { folder, name } = host.walk.locate(to, true);
      unlinkSync(folder.entry(name));
      throw thrown;
    }
  } finally {
    closeSync(fd);
    release();
  }
}
