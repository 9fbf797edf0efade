import { type BigIntStats, type Dirent, lstatSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

/** A file behind which there may be a process of the host: read-only mounts do not close it. */
export interface HostSocket {
  /** Absolute and real. */
  path: string;
  kind: "socket" | "FIFO";
  /** Which file it was, as `dev:ino:birth`. */
  identity: string;
}

export interface HostSocketScan {
  sockets: HostSocket[];
  unscanned: string[];
}

/** That are looked at in a folder, the nearest first. */
const MOST_ENTRIES = 10_000;
const LINGER_MS = 1000;
/** Many files, and no doors but those of servers that are listed. */
const NOT_LOOKED_INTO = new Set(["node_modules", ".git"]);

export function findHostSockets(folders: readonly string[]): HostSocketScan {
  const found = new Map<string, HostSocket>();
  const unlooked = folders.filter((folder) => lookThrough(folder, found) > MOST_ENTRIES);
  return { sockets: [...found.values()], unscanned: unlooked };
}

/** Answers how many entries there were; one more than the most when there is more. */
function lookThrough(root: string, found: Map<string, HostSocket>): number {
  let entries = 0;
  const waiting = [root];
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    for (const entry of entriesOf(folder)) {
      if (++entries > MOST_ENTRIES) return entries;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !NOT_LOOKED_INTO.has(entry.name)) waiting.push(path);
      if (!entry.isSocket() && !entry.isFIFO()) continue;
      const door = getHostSocket(path);
      if (door !== undefined) found.set(path, door);
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

/** Asks the kernel by a connection that ends at once: sockets of other namespaces are on no list. */
export function isListening(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ path });
  socket.once("connect", () => {
    resolve(true);
    // As somebody who has nothing to ask: what it says is taken, so that it is not told of a broken connection.
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
