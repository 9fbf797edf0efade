import { attempt } from "@haft/workspace/internal/system";
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";

const LINE = /^[0-9a-f]+: [0-9A-F]{8} [0-9A-F]{8} [0-9A-F]{8} [0-9A-F]{4} [0-9A-F]{2} +(\d+)(?: (.*))?$/s;

/** A unix socket that is bound to a path on the host; the path may depend on the folder it was bound in. */
interface BoundSocket {
  inode: string;
  path: string;
}

/** @param text of `/proc/net/unix`; a name may hold line breaks, and nothing there is escaped */
export function parseSockets(text: string): BoundSocket[] {
  const entries: string[] = [];
  for (const line of text.split("\n").slice(1)) {
    if (LINE.test(line) || entries.length === 0) entries.push(line);
    else entries[entries.length - 1] += `\n${line}`;
  }
  return entries.flatMap((entry) => {
    const [, inode, path = ""] = LINE.exec(entry.replace(/\n$/, "")) ?? [];
    // The others have no name, or one that only namespaces of the network know.
    return inode === undefined || path === "" || path.startsWith("@") ? [] : [{ inode, path }];
  });
}

/**
 * Sockets of the host that are files: those can be reached by whoever sees them, also where nothing can be written. Knows
 * what it has looked up, so that a second look costs little.
 */
export class HostSockets {
  readonly #known = new Map<string, string | undefined>();

  /**
   * The real paths of those that are there now.
   *
   * @param ours numbers of sockets that the view itself made, where it shares the network of the host
   */
  paths(ours: (inode: string) => boolean = () => false): string[] {
    const bound = parseSockets(attempt(() => readFileSync("/proc/net/unix", "latin1")) ?? "");
    const strange = bound.filter(({ inode, path }) => !path.startsWith("/") && !this.#known.has(inode));
    const folders = strange.length === 0 ? undefined : foldersOf(new Set(strange.map(({ inode }) => inode)));
    const found = new Set<string>();
    for (const { inode, path } of bound) {
      if (!this.#known.has(inode)) {
        const text = Buffer.from(path, "latin1").toString();
        const folder = path.startsWith("/") ? "/" : folders?.get(inode);
        this.#known.set(
          inode,
          folder === undefined ? undefined : attempt(() => realpathSync(join(folder, text))),
        );
      }
      const real = this.#known.get(inode);
      if (real !== undefined && isSocket(real) && !ours(inode)) found.add(real);
    }
    const there = new Set(bound.map(({ inode }) => inode));
    for (const inode of this.#known.keys()) if (!there.has(inode)) this.#known.delete(inode);
    return [...found];
  }
}

/** Where those work now that have these sockets open: most often that is where they were when they made them. */
function foldersOf(inodes: ReadonlySet<string>): Map<string, string> {
  const folders = new Map<string, string>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    for (const inode of socketsOf(pid)) {
      if (!inodes.has(inode)) continue;
      const folder = attempt(() => readlinkSync(`/proc/${pid}/cwd`));
      if (folder !== undefined) folders.set(inode, folder);
    }
  }
  return folders;
}

/** Numbers of the sockets a process has open; none of those who are not to be looked at. */
export function socketsOf(pid: string | number): string[] {
  const files = attempt(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return files.flatMap((fd) => {
    const link = attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? "";
    return /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? [];
  });
}

function isSocket(path: string): boolean {
  return attempt(() => lstatSync(path).isSocket()) === true;
}
