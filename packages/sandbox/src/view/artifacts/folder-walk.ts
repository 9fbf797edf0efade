import { attempt } from "@haft/system";
import { type Dir, type Dirent, lstatSync, opendirSync, type Stats } from "node:fs";
import { basename, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { nativePath } from "../../mounts/raw-path.ts";
import {
  readFolder,
  type FolderEntry,
  type EntryKind,
  getEntryKind,
  decodeEntry,
} from "../../mounts/read-folder.ts";
import { entryExists } from "../../mounts/stats.ts";
import { LOW_PRIORITY_FOLDERS } from "../git/find-repositories.ts";
import type { ReadFolder } from "./walk/folder-watch.ts";

export interface ScanBounds {
  /** Counts changed folders and names. */
  entries: number;
  ms: number;
  lastMs?: number;
}

/** Receives large folders in parts. Removing a name from the map skips it. */
export type FolderVisitor = (folder: string, names: Map<string, EntryKind>, isBrought: boolean) => void;

interface Tree {
  visit: FolderVisitor;
  last: ReadonlySet<string>;
}

interface QueuedFolder {
  path: string;
  tree: Tree;
  isLast: boolean;
  around: { isTouched: boolean; isBrought: boolean };
}

interface Part {
  queued: QueuedFolder;
  dir: Dir;
  stats: Stats;
  now: Known & { folders: string[] };
}

interface Known {
  /** No program can set it. Not unique. */
  changed: number;
  number: number;
  folders: readonly string[];
  pass: number;
  isBrought: boolean;
}

const SLICE_MS = 8;
/** A folder that changed this shortly before the read may change again unnoticed. */
const STEP_MS = 50;
/** Such folders (10,000 names or more) are read last, in parts. */
const LARGE = 1024 * 1024;
const PART = 1000;
/** Further folders are read each time. */
const MOST_KNOWN = 500_000;
/** Roots cannot be moved. */
const NOBODYS = { isTouched: false, isBrought: false };

/** Reads known, new, then low-priority folders. */
export class FolderWalk {
  readonly #trees = new Map<string, Tree>();
  #known = new Map<string, Known>();
  #pass = 0;
  #waiting = [new Queue(), new Queue(), new Queue(), new Queue()] as const;
  readonly #large = new Queue();
  #part: Part | undefined;
  readonly closed = new Set<string>();

  readonly #settledMs: number;
  readonly #isOfCommand: (changedMs: number) => boolean;

  constructor(slackMs = 0, isOfCommand: (changedMs: number) => boolean = () => false) {
    this.#settledMs = STEP_MS + slackMs;
    this.#isOfCommand = isOfCommand;
  }

  /** @param last low-priority names; `.git` is never read */
  add(root: string, visit: FolderVisitor, last = LOW_PRIORITY_FOLDERS): void {
    if (this.#trees.has(root)) return;
    const tree = { visit, last };
    this.#trees.set(root, tree);
    this.#push({ path: root, tree, isLast: false, around: NOBODYS });
  }

  again(): void {
    this.#pass++;
    for (const queue of [...this.#waiting, this.#large]) queue.clear();
    this.#part?.dir.closeSync();
    this.#part = undefined;
    this.closed.clear();
    for (const [path, tree] of this.#trees) this.#push({ path, tree, isLast: false, around: NOBODYS });
  }

  forget(): void {
    for (const known of this.#known.values()) known.changed = -1;
  }

  async walk({ entries, ms, lastMs = ms }: ScanBounds): Promise<void> {
    const start = performance.now();
    let pause = start + SLICE_MS;
    for (let left = entries; ;) {
      const queued = this.#waiting.find((queue) => queue.size > 0)?.shift();
      if (queued !== undefined) left -= this.#visit(queued);
      else if (this.#part !== undefined) left -= this.#readPart(this.#part);
      else if (this.#large.size > 0) this.#open(this.#large.shift()!);
      else return this.#forgetRemoved();
      const time = performance.now();
      if (left < 0 || time > start + (this.isAtLast ? lastMs : ms)) return;
      if (time > pause) {
        await turn();
        pause = performance.now() + SLICE_MS;
      }
    }
  }

  get isAtLast(): boolean {
    return this.#waiting[0].size + this.#waiting[1].size === 0;
  }

  remaining(names: number): { count: number; first: string[] } {
    const waiting = [...this.#waiting, this.#large];
    const part = this.#part === undefined ? [] : [this.#part.queued.path];
    return {
      count: waiting.reduce((sum, queue) => sum + queue.size, part.length),
      first: [...part, ...waiting.flatMap((queue) => queue.first(names))].slice(0, names),
    };
  }

  get read(): ReadonlyMap<string, ReadFolder> {
    const isWhole = [...this.#trees.keys()].every((root) => this.#known.has(root) || !entryExists(root));
    return isWhole && this.#known.size < MOST_KNOWN ? this.#known : new Map();
  }

  unread(): string[] {
    const [, fresh, freshLast] = this.#waiting;
    const part = this.#part === undefined ? [] : [this.#part.queued.path];
    return [...[fresh, freshLast, this.#large].flatMap((queue) => queue.first(Infinity)), ...part];
  }

  #push(queued: QueuedFolder): void {
    const isKnown = this.#known.has(queued.path);
    this.#waiting[queued.isLast ? (isKnown ? 3 : 2) : isKnown ? 0 : 1].push(queued);
  }

  #visit(queued: QueuedFolder): number {
    const { path, tree } = queued;
    const stats = this.#statsOf(path);
    if (stats === undefined) return 0;
    const known = this.#known.get(path);
    if (known?.changed === stats.ctimeMs && known.number === stats.ino) {
      this.#follow(queued, known, stats);
      return 0;
    }
    if (stats.size >= LARGE) {
      this.#large.push(queued);
      return 0;
    }
    const found = this.#orClosed(path, () => readFolder(path));
    const now = this.#asKnown(queued, stats);
    if (found !== undefined) now.folders.push(...visitEntries(path, found, tree.visit, now.isBrought));
    this.#remember(queued, now, stats);
    return (found?.length ?? 0) + 1;
  }

  #open(queued: QueuedFolder): void {
    const stats = this.#statsOf(queued.path);
    const dir = stats && this.#orClosed(queued.path, () => opendirSync(nativePath(queued.path), BYTES));
    if (stats !== undefined && dir !== undefined)
      this.#part = { queued, dir, stats, now: this.#asKnown(queued, stats) };
  }

  #readPart({ queued, dir, stats, now }: Part): number {
    const found: FolderEntry[] = [];
    while (found.length < PART) {
      const one = attempt(() => dir.readSync());
      if (one === undefined || one === null) break;
      found.push(decodeEntry(one as unknown as Dirent<Buffer>));
    }
    now.folders.push(...visitEntries(queued.path, found, queued.tree.visit, now.isBrought));
    if (found.length < PART) {
      dir.closeSync();
      this.#part = undefined;
      this.#remember(queued, now, stats);
    }
    return found.length;
  }

  #remember(queued: QueuedFolder, now: Known, stats: Stats): void {
    if (this.#known.size < MOST_KNOWN || this.#known.has(queued.path)) this.#known.set(queued.path, now);
    this.#follow(queued, now, stats);
  }

  #follow({ tree, isLast }: QueuedFolder, now: Known, { ctimeMs }: Stats): void {
    now.pass = this.#pass;
    const around = { isTouched: this.#isOfCommand(ctimeMs), isBrought: now.isBrought };
    for (const path of now.folders)
      this.#push({ path, tree, isLast: isLast || tree.last.has(basename(path)), around });
  }

  #asKnown({ path, around }: QueuedFolder, { ctimeMs, ino }: Stats): Part["now"] {
    const isSettled = Date.now() - ctimeMs > this.#settledMs;
    const known = this.#known.get(path);
    // Moving a folder keeps the change times of its content.
    const isBrought =
      known?.number === ino
        ? known.isBrought
        : around.isBrought || (around.isTouched && this.#isOfCommand(ctimeMs));
    return { changed: isSettled ? ctimeMs : -1, number: ino, folders: [], pass: 0, isBrought };
  }

  #statsOf(path: string): Stats | undefined {
    const stats = this.#orClosed(path, () => lstatSync(nativePath(path), { throwIfNoEntry: false }));
    return stats?.isDirectory() === true ? stats : undefined;
  }

  #orClosed<T>(path: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") this.closed.add(path);
      return undefined;
    }
  }

  #forgetRemoved(): void {
    for (const [path, known] of this.#known) {
      if (known.pass !== this.#pass) this.#known.delete(path);
      known.isBrought = false;
    }
  }
}

class Queue {
  #items: QueuedFolder[] = [];
  #at = 0;

  get size(): number {
    return this.#items.length - this.#at;
  }

  push(item: QueuedFolder): void {
    this.#items.push(item);
  }

  shift(): QueuedFolder | undefined {
    const item = this.#items[this.#at++];
    if (this.#at > PART && this.#at * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#at);
      this.#at = 0;
    }
    return item;
  }

  first(count: number): string[] {
    return this.#items.slice(this.#at, this.#at + count).map(({ path }) => path);
  }

  clear(): void {
    this.#items = [];
    this.#at = 0;
  }
}

function visitEntries(
  folder: string,
  found: readonly FolderEntry[],
  visit: FolderVisitor,
  isBrought: boolean,
): string[] {
  const names = new Map(found.map((one) => [one.name, getEntryKind(one)]));
  visit(folder, names, isBrought);
  const folders = [...names].filter(([name, kind]) => kind === "folder" && name !== ".git");
  return folders.map(([name]) => join(folder, name));
}

/** Bytes, because names may not be UTF-8. */
const BYTES = { bufferSize: PART, encoding: "buffer" as BufferEncoding };
