import { type FileSystem, HaftError } from "@haft/core";
import { checkWritable } from "../boundary/check-writable.ts";
import { failure, type Request, toFailure } from "../boundary/failures.ts";
import type { Host } from "../boundary/host.ts";
import { toFileStat } from "../boundary/walk/file-stat.ts";
import { join } from "../boundary/walk/folders.ts";
import { checkHardLinks, lookAtEntry, lookThrough } from "../boundary/walk/open-file.ts";
import { isWithin } from "../system/is-within.ts";
import { appendFile } from "./append-file.ts";
import { listFolder } from "./list-folder.ts";
import { makeFolders } from "./make-folders.ts";
import { outerIgnores } from "./outer-ignores.ts";
import { readFile } from "./read-file.ts";
import { removeEntry } from "./remove-entry.ts";
import { renameEntry } from "./rename-entry.ts";
import { hasAccessList } from "./replace/take-access.ts";
import { writeFile } from "./write-file.ts";

/** The operations of the port; whatever goes wrong in one comes out as a coded error about the caller's path. */
export function createHostFileSystem(host: Host): FileSystem {
  return {
    stat: (path, options) =>
      attempt({ verb: "look at", path }, (request) => statEntry(host, request, options)),
    realpath: (path) => attempt({ verb: "resolve", path }, async (request) => realPath(host, request)),
    list: (path, options) =>
      attempt({ verb: "list", path }, (request) => listFolder(host, request, options?.limit)),
    read: (path, options = {}) =>
      attempt({ verb: "read", path }, (request) => readFile(host, request, options)),
    write: (path, bytes, options = {}) =>
      attempt({ verb: "write", path }, (request) => writeFile(host, request, bytes, options)),
    append: (path, bytes, options = {}) =>
      attempt({ verb: "append to", path }, (request) => appendFile(host, request, bytes, options.fence)),
    mkdirp: (path, options = {}) =>
      attempt({ verb: "create the folder", path }, (request) => makeFolders(host, request, options.fence)),
    remove: (path, options = {}) =>
      attempt({ verb: "remove", path }, (request) => removeEntry(host, request, options)),
    rename: (path, to, options = {}) =>
      attempt({ verb: "move", path }, (from) =>
        renameEntry(host, { from, to: { verb: "move to", path: to } }, options),
      ),
    check: (path, access, options) =>
      attempt({ verb: access, path }, async (request) => checkAccess(host, request, access, options)),
    outerIgnores: (path) =>
      attempt({ verb: "look at", path }, (request) =>
        outerIgnores(host.walk.resolve(request).mount.path, host.home),
      ),
  };
}

async function attempt<T>(request: Request, operation: (request: Request) => Promise<T>): Promise<T> {
  try {
    return await operation(request);
  } catch (thrown) {
    throw toFailure(thrown, request);
  }
}

async function statEntry(
  host: Host,
  request: Request,
  options: { follow?: boolean; accessList?: boolean } = {},
) {
  try {
    const { place, stats } = (options.follow === false ? lookAtEntry : lookThrough)(host.walk, request);
    if (stats === undefined) return undefined;
    if (options.accessList !== true || !stats.isFile()) return toFileStat(stats);
    return { ...toFileStat(stats), accessList: await hasAccessList(place, stats, request) };
  } catch (thrown) {
    if (HaftError.is(thrown) && (thrown.code === "FILE_NOT_FOUND" || thrown.code === "NOT_A_DIRECTORY"))
      return undefined;
    throw thrown;
  }
}

function realPath(host: Host, request: Request): string {
  const { path, rest } = host.walk.resolve(request);
  return rest.length === 0 ? path : join(path, rest.join("/"));
}

/**
 * What the boundary says of a path, by the same checks that hold while a file is read or changed, and without opening
 * it. Whether anything is there is not asked.
 *
 * @throws HaftError `OUTSIDE_WORKSPACE`, `PATH_DENIED`, `READ_ONLY`, `HARD_LINKED`
 */
function checkAccess(
  host: Host,
  request: Request,
  access: "read" | "write",
  { follow = true }: { follow?: boolean } = {},
): void {
  const { place, stats } = (follow ? lookThrough : lookAtEntry)(host.walk, request);
  if (access === "read") {
    if (stats?.isFile() === true) checkHardLinks(host, place, stats, request);
    return;
  }
  if (!follow && host.table.mounts.some((mount) => isWithin(mount.path, place.path)))
    throw failure("root-pinned", request);
  checkWritable(host, place, request);
}
