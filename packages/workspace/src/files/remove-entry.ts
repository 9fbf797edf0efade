import type { Fence } from "@haft/core/internal";
import { isWithin } from "@haft/system";
import { type BigIntStats, rmdirSync, unlinkSync } from "node:fs";
import { checkWritable } from "../boundary/check-writable.ts";
import { getErrno, failure, type Request } from "../boundary/failures.ts";
import type { BoundaryHost } from "../boundary/host.ts";
import { checkVersion, inspectEntry } from "../boundary/walk/open-file.ts";
import type { EntryLocation } from "../boundary/walk/walk.ts";

export async function removeEntry(
  host: BoundaryHost,
  request: Request,
  { ifMatch, fence }: { ifMatch?: string; fence?: Fence },
): Promise<void> {
  const { location, stats } = findEntry(host, request);
  checkVersion(stats, request, ifMatch);
  if (!location.folder.isCurrent()) throw failure("PATH_CHANGED", request);
  const entry = location.folder.entry(location.name);
  fence?.check();
  try {
    if (stats.isDirectory()) rmdirSync(entry);
    else unlinkSync(entry);
  } catch (thrown) {
    if (getErrno(thrown) === "EEXIST") throw failure("not-empty", request, { cause: thrown });
    throw thrown;
  }
  if (!location.folder.isCurrent()) throw failure("PATH_CHANGED", request, { receipt: "committed" });
}

export function findEntry(
  host: BoundaryHost,
  request: Request,
): { location: EntryLocation; stats: BigIntStats } {
  const { location, stats } = inspectEntry(host.walk, request);
  if (stats === undefined) throw failure("FILE_NOT_FOUND", request);
  if (location.mustBeFolder && !stats.isDirectory()) throw failure("NOT_A_DIRECTORY", request);
  if (host.table.mounts.some((mount) => isWithin(mount.path, location.path)))
    throw failure("root-pinned", request);
  if (location.name === ".")
    throw failure("INVALID_PATH", request, { why: "it ends in `..`", fix: "Name the folder." });
  checkWritable(host, location, request);
  return { location, stats };
}
