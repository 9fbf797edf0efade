import type { Fence } from "@haft/core/internal";
import { attempt } from "@haft/system";
import { mkdirSync, rmdirSync } from "node:fs";
import { checkWritable } from "../boundary/check-writable.ts";
import { getErrno, failure, type Request } from "../boundary/failures.ts";
import type { BoundaryHost } from "../boundary/host.ts";
import { type Folder, join } from "../boundary/walk/folders.ts";
import { inspectTarget } from "../boundary/walk/open-file.ts";
import type { EntryLocation } from "../boundary/walk/walk.ts";

export interface CreatedFolders {
  location: EntryLocation;
  created: readonly string[];
  parents: readonly Folder[];
  undo(): void;
  release(): void;
}

export async function makeFolders(host: BoundaryHost, request: Request, fence?: Fence): Promise<string[]> {
  const { location, stats } = inspectTarget(host.walk, request);
  if (stats !== undefined) {
    if (!stats.isDirectory()) throw failure("NOT_A_DIRECTORY", request, { why: "a file exists there" });
    return [];
  }
  checkWritable(host, location, request);
  const made = makeParents(host, { ...location, rest: [...location.rest, "."] }, request, fence);
  made.release();
  return [...made.created];
}

export function makeParents(
  host: BoundaryHost,
  location: EntryLocation,
  request: Request,
  fence?: Fence,
): CreatedFolders {
  const made: EntryLocation[] = [];
  const releases: (() => void)[] = [location.folder.hold()];
  const undo = (): void => made.toReversed().forEach(removeIfEmpty);
  const release = (): void => releases.forEach((letGo) => letGo());
  try {
    while (location.rest.length > 0) {
      fence?.check();
      if (makeFolder(location, request)) made.push(location);
      const folder = host.walk.enter({ ...location, rest: [] }, request);
      releases.push(folder.hold());
      const [name, ...rest] = location.rest as [string, ...string[]];
      location = { ...location, folder, name, path: join(folder.path, name), rest };
    }
  } catch (thrown) {
    undo();
    release();
    throw thrown;
  }
  return {
    location,
    created: made.map(({ path }) => path),
    parents: made.map(({ folder }) => folder),
    undo,
    release,
  };
}

function makeFolder(location: EntryLocation, request: Request): boolean {
  if (!location.folder.isCurrent()) throw failure("PATH_CHANGED", request);
  try {
    mkdirSync(location.folder.entry(location.name));
  } catch (thrown) {
    if (getErrno(thrown) === "EEXIST") return false;
    throw thrown;
  }
  if (location.folder.isCurrent()) return true;
  removeIfEmpty(location);
  throw failure("PATH_CHANGED", request);
}

function removeIfEmpty({ folder, name }: EntryLocation): void {
  attempt(() => rmdirSync(folder.entry(name)));
}
