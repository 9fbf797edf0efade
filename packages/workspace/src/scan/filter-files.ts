import type { ScanEntry } from "@haft/core";
import { attempt } from "@haft/system";
import { joinPath } from "@haft/utils";
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import type { ReadBoundary } from "../boundary/host.ts";
import type { Folder } from "../boundary/walk/folders.ts";
import { mayShareFile, readNow } from "../boundary/walk/open-file.ts";
import type { TextFilter } from "./text-filter.ts";

/** Larger files stay for the reader. */
const MAX_FILTERED_BYTES = 4 * 1024 * 1024;
const OPEN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

let buffer = Buffer.allocUnsafeSlow(256 * 1024);

/** Returns whether a file may match. Files that cannot be read or judged are chosen: the reader reports them. */
export function chooseFiles(
  host: ReadBoundary,
  start: string,
  mayMatch: TextFilter,
): (entry: ScanEntry) => boolean {
  let name = "";
  let folder: Folder | undefined;
  return ({ path, type }) => {
    if (type !== "file") return true;
    const slash = path.lastIndexOf("/");
    const parent = path.slice(0, Math.max(0, slash));
    if (folder === undefined || parent !== name) {
      name = parent;
      folder = attempt(() => openFolder(host, start, parent));
    }
    const opened = folder;
    return opened === undefined || mayMatchFile(host, opened, path.slice(slash + 1), mayMatch);
  };
}

function openFolder(host: ReadBoundary, start: string, path: string): Folder {
  const request = { verb: "list", path: path === "" ? start : joinPath(start, path) };
  return host.walk.enter(host.walk.resolve(request), request);
}

function mayMatchFile(host: ReadBoundary, folder: Folder, name: string, mayMatch: TextFilter): boolean {
  if (host.deny.denies(`${folder.path}/${name}`)) return true;
  let fd: number;
  try {
    fd = openSync(folder.entry(name), OPEN);
  } catch {
    return true;
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > MAX_FILTERED_BYTES) return true;
    if (stats.nlink > 1 && !mayShareFile(host, `${folder.path}/${name}`, stats.mode)) return true;
    // Files of the kernel have no size.
    if (stats.size === 0) return readNow(fd, buffer.subarray(0, 1), 0) > 0;
    if (stats.size > buffer.length) buffer = Buffer.allocUnsafeSlow(MAX_FILTERED_BYTES);
    const bytes = buffer.subarray(0, stats.size);
    const length = readNow(fd, bytes, 0);
    // The file shrank.
    return length < stats.size || mayMatch(bytes);
  } catch {
    return true;
  } finally {
    closeSync(fd);
  }
}
