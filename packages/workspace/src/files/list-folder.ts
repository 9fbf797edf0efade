import type { DirectoryEntry } from "@haft/core";
import { type Dir, lstatSync, opendirSync, unlinkSync } from "node:fs";
import type { Request } from "../boundary/failures.ts";
import type { Host } from "../boundary/host.ts";
import { typeOf } from "../boundary/walk/file-stat.ts";
import type { Folder } from "../boundary/walk/folders.ts";
import { DEFAULT_LIST_LIMIT } from "../defaults.ts";
import { attempt } from "../system/attempt.ts";
import { isAlive, type ProcessIdentity } from "../system/processes/process-identity.ts";
import { isKnownGone, writerOf } from "../system/temporary-name.ts";

const BATCH = 1_000;

/** Entries of a folder, without what is being written there; what a dead process was writing is removed. */
export async function listFolder(
  host: Host,
  request: Request,
  limit: number = DEFAULT_LIST_LIMIT,
): Promise<{ entries: DirectoryEntry[]; truncated: boolean }> {
  const place = host.walk.resolve(request);
  const folder = host.walk.enter(place, request);
  const release = folder.hold();
  let listing: Dir | undefined;
  try {
    listing = opendirSync(folder.entry("."), { bufferSize: 256 });
    const entries: DirectoryEntry[] = [];
    for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) {
      const writer = writerOf(entry.name);
      if (writer !== undefined) {
        if (place.mount.access === "rw") removeAbandoned(folder, entry.name, writer);
        continue;
      }
      if (entries.length >= limit) return { entries, truncated: true };
      entries.push({ name: entry.name, type: typeOf(entry) });
      if (entries.length % BATCH === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    return { entries, truncated: false };
  } finally {
    listing?.closeSync();
    release();
  }
}

/**
 * Younger ones are left alone unless their writer is known: a process elsewhere, of which nothing is known here, may
 * share the folder.
 */
const ABANDONED_AFTER_MS = 60_000;

/** Removes a temporary file when the process that was writing it is gone, unless somebody else did or forbids it. */
function removeAbandoned(folder: Folder, name: string, writer: ProcessIdentity): void {
  if (isAlive(writer)) return;
  attempt(() => {
    const entry = folder.entry(name);
    if (isKnownGone(writer) || Date.now() - lstatSync(entry).mtimeMs > ABANDONED_AFTER_MS) unlinkSync(entry);
  });
}
