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
    if (!stats.isDirectory()) throw failure("NOT_A_DIRECTORY", request, { why: "a file stands there" });
    return [];
  }
  checkWritable(host, location, request);
  const made = makeParents(host, { ...location, rest: [...location.rest, "."] }, request, fence);
  made.release();
  return [...made.created];
}

export function makeParents(
  host: BoundaryHost,
  place: EntryLocation,
  request: Request,
  fence?: Fence,
): CreatedFolders {
  const made: EntryLocation[] = [];
  const releases: (() => void)[] = [place.folder.hold()];
  const undo = (): void => made.toReversed().forEach(removeIfEmpty);
  const release = (): void => releases.forEach((letGo) => letGo());
  try {
    while (place.rest.length > 0) {
      fence?.check();
      if (makeFolder(place, request)) made.push(place);
      const folder = host.walk.enter({ ...place, rest: [] }, request);
      releases.push(folder.hold());
      const [name, ...rest] = place.rest as [string, ...string[]];
      place = { ...place, folder, name, path: join(folder.path, name), rest };
    }
  } catch (thrown) {
    undo();
    release();
    throw thrown;
  }
  return {
    location: place,
    created: made.map(({ path }) => path),
    parents: made.map(({ folder }) => folder),
    undo,
    release,
  };
}

function makeFolder(place: EntryLocation, request: Request): boolean {
  if (!place.folder.isCurrent()) throw failure("PATH_CHANGED", request);
  try {
    mkdirSync(place.folder.entry(place.name));
  } catch (thrown) {
    if (getErrno(thrown) === "EEXIST") return false;
    throw thrown;
  }
  if (place.folder.isCurrent()) return true;
  removeIfEmpty(place);
  throw failure("PATH_CHANGED", request);
}

function removeIfEmpty({ folder, name }: EntryLocation): void {
  attempt(() => rmdirSync(folder.entry(name)));
}
