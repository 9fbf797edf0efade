import type { DirectoryEntry } from "@haft/core";
import type { ScanFiles } from "@haft/core/internal";
import { parseWriter } from "@haft/system";
import { closeSync, constants, opendirSync, readdirSync } from "node:fs";
import { failure, type Request, toFailure } from "../boundary/failures.ts";
import type { ReadBoundary } from "../boundary/host.ts";
import { getFileType } from "../boundary/walk/file-stat.ts";
import { type Folder, join } from "../boundary/walk/folders.ts";
import {
  checkHardLinks,
  inspectEntry,
  inspectTarget,
  openFile,
  readNow,
} from "../boundary/walk/open-file.ts";
import { locationPath } from "../boundary/walk/walk.ts";
import type { OuterIgnores } from "./read-outer-ignores.ts";

/** Limits held folders of one scan. Deeper folders are opened again. */
const MAX_HELD = 32;
/** The kernel reports no longer path of a folder. */
const MAX_PATH_BYTES = 4095;
const LIST_BUFFER = 1024;
/** Folders with a longer list of names are large. */
const MAX_WHOLE_BYTES = 4 * 1024 * 1024;

interface HeldFolder {
  path: string;
  folder: Folder;
  release: () => void;
}

/** Accesses host files synchronously. It holds the folders from the start to the current folder, so each is opened once. */
export class HostScanFiles implements ScanFiles {
  readonly mounts: ScanFiles["mounts"];
  readonly #host: ReadBoundary;
  readonly #outer: OuterIgnores | undefined;
  readonly #held: HeldFolder[] = [];

  constructor(host: ReadBoundary, outer: OuterIgnores | undefined) {
    this.mounts = host.table.mounts;
    this.#host = host;
    this.#outer = outer;
  }

  outerIgnores(): OuterIgnores | undefined {
    return this.#outer;
  }

  realpath(path: string): string {
    return perform({ verb: "resolve", path }, (request) => locationPath(this.#host.walk.resolve(request)));
  }

  type(path: string): DirectoryEntry["type"] | undefined {
    return perform({ verb: "look at", path }, (request) => {
      const { stats } = inspectEntry(this.#host.walk, request);
      return stats && getFileType(stats);
    });
  }

  read(path: string, length: number): Uint8Array {
    return perform({ verb: "read", path }, (request) => {
      const { location, stats } = inspectTarget(this.#host.walk, request);
      const file = openFile(location, stats, constants.O_RDONLY, request);
      try {
        checkHardLinks(this.#host, location, file.stats, request);
        const bytes = Buffer.allocUnsafe(Math.min(length, Number(file.stats.size)));
        return bytes.subarray(0, readNow(file.fd, bytes, 0));
      } finally {
        closeSync(file.fd);
      }
    });
  }

  list(path: string, limit: number): { entries: DirectoryEntry[]; truncated: boolean } {
    return perform({ verb: "list", path }, (request) => listEntries(this.#enter(request), limit));
  }

  close(): void {
    for (const { release } of this.#held.splice(0)) release();
  }

  #enter(request: Request): Folder {
    const { path } = request;
    const slash = path.lastIndexOf("/");
    const parentPath = slash < 0 ? "." : path.slice(0, slash);
    for (let top = this.#held.at(-1); top !== undefined; top = this.#held.at(-1)) {
      if (top.path === parentPath) break;
      top.release();
      this.#held.pop();
    }
    const parent = this.#held.at(-1)?.folder;
    const folder =
      parent === undefined ? this.#resolve(request) : this.#open(parent, path.slice(slash + 1), request);
    if (this.#held.length < MAX_HELD) this.#held.push({ path, folder, release: folder.hold() });
    return folder;
  }

  #resolve(request: Request): Folder {
    const { walk } = this.#host;
    return walk.enter(walk.resolve(request), request);
  }

  #open(parent: Folder, name: string, request: Request): Folder {
    const { deny, folders } = this.#host;
    const path = join(parent.path, name);
    if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw failure("INVALID_PATH", request);
    if (deny.denies(path)) throw failure("PATH_DENIED", request);
    const folder = folders.open(parent, name);
    if (folder === "missing") throw failure("FILE_NOT_FOUND", request);
    if (folder === "other") throw failure("NOT_A_DIRECTORY", request);
    if (folder === "link") throw failure("PATH_CHANGED", request);
    return folder;
  }
}

function perform<T>(request: Request, operation: (request: Request) => T): T {
  try {
    return operation(request);
  } catch (thrown) {
    throw toFailure(thrown, request);
  }
}

/** Omits temporary files. A large folder is read entry by entry, so that memory stays bounded. */
function listEntries(folder: Folder, limit: number): { entries: DirectoryEntry[]; truncated: boolean } {
  const path = folder.entry(".");
  if (folder.size > MAX_WHOLE_BYTES) return listLargeFolder(path, limit);
  const all = readdirSync(path, { withFileTypes: true });
  const entries: DirectoryEntry[] = [];
  for (const entry of all) {
    if (isTemporary(entry.name)) continue;
    if (entries.length >= limit) return { entries, truncated: true };
    entries.push({ name: entry.name, type: getFileType(entry) });
  }
  return { entries, truncated: false };
}

function listLargeFolder(path: string, limit: number): { entries: DirectoryEntry[]; truncated: boolean } {
  const listing = opendirSync(path, { bufferSize: LIST_BUFFER });
  try {
    const entries: DirectoryEntry[] = [];
    for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) {
      if (isTemporary(entry.name)) continue;
      if (entries.length >= limit) return { entries, truncated: true };
      entries.push({ name: entry.name, type: getFileType(entry) });
    }
    return { entries, truncated: false };
  } finally {
    listing.closeSync();
  }
}

function isTemporary(name: string): boolean {
  return name.startsWith(".") && parseWriter(name) !== undefined;
}
