import { type BigIntStats, type Dirent, lstatSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

/** A file behind which a process of the host may listen: read-only mounts do not close it. */
export interface HostSocket {
  path: string;
  kind: "socket" | "FIFO";
  /** `dev:ino:birth`. */
  identity: string;
}

export interface HostSocketScan {
  sockets: HostSocket[];
  unscanned: string[];
}

/** Per folder, nearest first. */
const MOST_ENTRIES = 10_000;
const LINGER_MS = 1000;
/** Too many files; sockets there are only found in the list of bound sockets. */
const UNSCANNED_FOLDERS = new Set(["node_modules", ".git"]);

export function findHostSockets(folders: readonly string[]): HostSocketScan {
  const found = new Map<string, HostSocket>();
  const unscanned = folders.filter((folder) => scanFolder(folder, found) > MOST_ENTRIES);
  return { sockets: [...found.values()], unscanned };
}

/** Returns the number of entries, or the limit plus one. */
function scanFolder(root: string, found: Map<string, HostSocket>): number {
  let entries = 0;
  const waiting = [root];
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    for (const entry of entriesOf(folder)) {
      if (++entries > MOST_ENTRIES) return entries;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !UNSCANNED_FOLDERS.has(entry.name)) waiting.push(path);
      if (!entry.isSocket() && !entry.isFIFO()) continue;
      const hostSocket = getHostSocket(path);
      if (hostSocket !== undefined) found.set(path, hostSocket);
    }
  }
  return entries;
}

export function getHostSocket(path: string): HostSocket | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats?.isSocket()) return { path, kind: "socket", identity: identityOf(stats) };
  if (stats?.isFIFO()) return { path, kind: "FIFO", identity: identityOf(stats) };
  return undefined;
}

/** Connects, because sockets of other namespaces are on no list. */
export function isListening(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ path });
  socket.once("connect", () => {
    resolve(true);
    // Otherwise the server would see a broken connection.
    socket.resume().end();
    socket.setTimeout(LINGER_MS, () => socket.destroy()).unref();
  });
  socket.on("error", ({ code }: NodeJS.ErrnoException) =>
    resolve(code !== "ECONNREFUSED" && code !== "ENOENT"),
  );
  return promise;
}

function identityOf({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
