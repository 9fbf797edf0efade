import { attempt } from "@haft/system";
import {
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
} from "node:fs";
import { join } from "node:path";

const LINE = /^[0-9a-f]+: [0-9A-F]{8} [0-9A-F]{8} [0-9A-F]{8} [0-9A-F]{4} [0-9A-F]{2} +(\d+)(?: (.*))?$/s;

const NAMELESS = /^[0-9a-f]+: [0-9A-F]{8} [0-9A-F]{8} [0-9A-F]{8} [0-9A-F]{4} [0-9A-F]{2} +\d+\n/gm;

/** Limits the share of time for checks. Reading takes 0.1 ms, or 2 ms with a thousand sockets. */
const SHARE = 1 / 50;
const MAX_POLL_MS = 1000;

/** `path` may be relative to the folder of the bind; `@` begins an abstract name. */
interface BoundSocket {
  inode: string;
  path: string;
}

/** @param text names may contain unescaped line breaks */
function parseSockets(text: string): BoundSocket[] {
  const entries: string[] = [];
  for (const line of text.split("\n").slice(1)) {
    if (LINE.test(line) || entries.length === 0) entries.push(line);
    else entries[entries.length - 1] += `\n${line}`;
  }
  return entries.flatMap((entry) => {
    const [, inode, path = ""] = LINE.exec(entry.replace(/\n$/, "")) ?? [];
    return inode === undefined || path === "" ? [] : [{ inode, path }];
  });
}

export class HostSockets {
  readonly #known = new Map<string, string | undefined>();
  #list = Buffer.alloc(0);
  #text = "";
  #version = 0;
  #due = Number.NEGATIVE_INFINITY;
  #bound: BoundSocket[] = [];

  /** Excludes sockets of processes below `pid`, a view on the host's network. */
  paths(pid?: number): string[] {
    const bound = this.#poll().filter(({ path }) => !path.startsWith("@"));
    const strange = bound.filter(({ inode }) => !this.#known.has(inode));
    const relative = strange.filter(({ path }) => !path.startsWith("/"));
    const folders =
      relative.length === 0 ? undefined : foldersOf(new Set(relative.map(({ inode }) => inode)));
    const ours = pid === undefined || strange.length === 0 ? undefined : socketsBelow(pid);
    for (const { inode, path } of strange) {
      const folder = path.startsWith("/") ? "/" : folders?.get(inode);
      const isOfHost = folder !== undefined && ours?.has(inode) !== true;
      const text = Buffer.from(path, "latin1").toString();
      this.#known.set(inode, isOfHost ? attempt(() => realpathSync.native(join(folder, text))) : undefined);
    }
    const found = bound.flatMap(({ inode }) => this.#known.get(inode) ?? []);
    return [...new Set(found)].filter((path) => attempt(() => lstatSync(path).isSocket()) === true);
  }

  /** Increases with each new bound path. Polls after fifty times the last duration, at most a second. */
  version(): number {
    if (performance.now() > this.#due) this.#poll();
    return this.#version;
  }

  abstract(): string[] {
    const names = this.#poll().flatMap(({ path }) => (path.startsWith("@") ? [path] : []));
    return [...new Set(names)];
  }

  #poll(): readonly BoundSocket[] {
    const begun = performance.now();
    const bytes = attempt(readList) ?? Buffer.alloc(0);
    const isOther = !bytes.equals(this.#list);
    if (isOther) this.#list = Buffer.from(bytes);
    const text = isOther ? bytes.toString("latin1").replaceAll(NAMELESS, "") : this.#text;
    const ended = performance.now();
    this.#due = ended + Math.min((ended - begun) / SHARE, MAX_POLL_MS);
    if (text === this.#text) return this.#bound;
    this.#text = text;
    const bound = parseSockets(text);
    const before = new Set(this.#bound.map(({ inode }) => inode));
    this.#bound = bound;
    if (bound.some(({ inode, path }) => !before.has(inode) && !path.startsWith("@"))) this.#version++;
    const there = new Set(bound.map(({ inode }) => inode));
    for (const inode of this.#known.keys()) if (!there.has(inode)) this.#known.delete(inode);
    return this.#bound;
  }
}

let list: number | undefined;
let room = Buffer.allocUnsafeSlow(32 * 1024);

/** The kernel returns whole lines, up to a page; this is the smallest page. */
const PAGE = 4096;
const LONGEST = 256;

/** Reuses one buffer, which halves the time. Valid until the next read. */
function readList(): Buffer {
  list ??= openSync("/proc/net/unix", "r");
  for (let size = 0; ;) {
    if (room.length - size < PAGE) room = Buffer.concat([room], 2 * room.length);
    const count = readSync(list, room, size, room.length - size, size);
    size += count;
    if (count < PAGE - LONGEST) return room.subarray(0, size);
  }
}

/** Returns the current folders of their processes, mostly those of the bind. */
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

function socketsBelow(pid: number): Set<string> {
  const found = new Set<string>();
  const waiting = [String(pid)];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    for (const inode of socketsOf(one)) found.add(inode);
    for (const thread of attempt(() => readdirSync(`/proc/${one}/task`)) ?? []) {
      const children = attempt(() => readFileSync(`/proc/${one}/task/${thread}/children`, "latin1")) ?? "";
      waiting.push(...children.split(" ").filter((each) => each !== ""));
    }
  }
  return found;
}

function socketsOf(pid: string): string[] {
  const files = attempt(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return files.flatMap((fd) => {
    const link = attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? "";
    return /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? [];
  });
}
