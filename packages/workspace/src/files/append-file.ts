import { HaftError, type WriteResult } from "@haft/core";
import type { Fence } from "@haft/core/internal";
import { closeSync, constants, fstatSync, ftruncateSync } from "node:fs";
import { checkWritable } from "../boundary/check-writable.ts";
import { failure, type Request } from "../boundary/failures.ts";
import type { Host } from "../boundary/host.ts";
import { toFileStat } from "../boundary/walk/file-stat.ts";
import { lookThrough, openFile } from "../boundary/walk/open-file.ts";
import { checkBetween } from "../fence/check-between.ts";
import { writeAll } from "./write-all.ts";
import { writeFile } from "./write-file.ts";

/** Adds bytes at the end of a file, in place; a missing file is created. */
export async function appendFile(
  host: Host,
  request: Request,
  bytes: Uint8Array,
  fence?: Fence,
): Promise<WriteResult> {
  const { place, stats } = lookThrough(host.walk, request);
  checkWritable(host, place, request);
  if (stats === undefined) {
    try {
      return await writeFile(host, request, bytes, { ifMatch: null, ...(fence && { fence }) });
    } catch (thrown) {
      // Somebody else has just created it: then there is something to append to.
      if (HaftError.is(thrown) && thrown.code === "FILE_CHANGED")
        return appendFile(host, request, bytes, fence);
      throw thrown;
    }
  }

  const { fd, stats: before } = openFile(place, stats, constants.O_WRONLY | constants.O_APPEND, request);
  try {
    // In place would mean: under its other names too, wherever they are.
    if (before.nlink > 1n) throw failure("HARD_LINKED", request);
    if (!place.folder.inPlace()) throw failure("PATH_CHANGED", request);
    fence?.check();
    try {
      await writeAll(fd, bytes, () => checkBetween(fence, request, "a part of it was written"));
    } catch (thrown) {
      // What another host may have added since is not ours to cut off.
      if (HaftError.is(thrown) && thrown.code === "SESSION_LEASE_LOST") throw thrown;
      ftruncateSync(fd, Number(before.size));
      throw thrown;
    }
    return { created: false, stat: toFileStat(fstatSync(fd, { bigint: true })) };
  } finally {
    closeSync(fd);
  }
}
