import { attempt } from "@haft/workspace/internal/system";
import { lstatSync, readdirSync } from "node:fs";
import { opendir } from "node:fs/promises";
import { basename, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";

/** How far one part of a look goes. */
export interface LookBounds {
  /** Folders that changed and names read in them, together. What did not change costs time only. */
  entries: number;
  /** Milliseconds. */
  ms: number;
  /** The same where only those folders are left that are looked into after all others. As many by default. */
  lastMs?: number;
}

export type EntryKind = "file" | "folder" | "other";

/** Told what is in a folder that changed; of a large one in parts. What it takes out of the names is not looked into. */
export type LookAt = (folder: string, names: Map<string, EntryKind>) => void;

interface Tree {
  look: LookAt;
  last: ReadonlySet<string>;
}

interface Place {
  path: string;
  tree: Tree;
  isLast: boolean;
}

interface Known {
  /** When anything in it was last made, moved or removed: nobody can set this time. Another folder may have the same. */
  changed: number;
  number: number;
  folders: readonly string[];
  pass: number;
}

const LAST: ReadonlySet<string> = new Set(["node_modules", ".venv", "target", "vendor"]);
/** So long the host is kept busy without a break. */
const SLICE_MS = 8;
/** The system counts these times in steps: a folder that changed so shortly before it was read may change again unseen. */
const STEP_MS = 50;
/** Bytes of a folder that is read in parts: some thousands of names. */
const LARGE = 256 * 1024;
const PART = 1000;
/** Folders that are remembered. Others are read each time. */
const MOST_KNOWN = 500_000;

/**
 * Looks at folders again and again, and reads those that changed. First those that were read before, which costs little and finds
 * what changed in them; then new ones; at the end the many that nobody works in.
 */
export class FolderWalk {
  readonly #trees = new Map<string, Tree>();
  #known = new Map<string, Known>();
  #pass = 0;
  #waiting = [new Queue(), new Queue(), new Queue(), new Queue()] as const;
  /** Folders that cannot be read. */
  readonly closed = new Set<string>();

  /** @param last names of folders to be looked into after all others; `.git` never is */
  add(root: string, look: LookAt, last = LAST): void {
    if (this.#trees.has(root)) return;
    const tree = { look, last };
    this.#trees.set(root, tree);
    this.#push({ path: root, tree, isLast: false });
  }

  /** All is to be looked at once more. */
  again(): void {
    this.#pass++;
    for (const queue of this.#waiting) queue.clear();
    this.closed.clear();
    for (const [path, tree] of this.#trees) this.#push({ path, tree, isLast: false });
  }

  /** Goes on where it stopped, until all was looked at or a bound is met. Never two at once. */
  async go({ entries, ms, lastMs = ms }: LookBounds): Promise<void> {
    const start = performance.now();
    let pause = start + SLICE_MS;
    for (let left = entries; ;) {
      const place = this.#waiting.find((queue) => queue.size > 0)?.shift();
      if (place === undefined) return this.#forgetGone();
      left -= await this.#lookAt(place);
      const time = performance.now();
      if (left < 0 || time > start + (this.isAtLast ? lastMs : ms)) return;
      if (time > pause) {
        await turn();
        pause = performance.now() + SLICE_MS;
      }
    }
  }

  /** Only those are left that are looked into after all others. */
  get isAtLast(): boolean {
    return this.#waiting[0].size + this.#waiting[1].size === 0;
  }

  /** How many of the known folders are still to be looked at, and the first of them. */
  left(names: number): { count: number; first: string[] } {
    const waiting = this.#waiting.filter((queue) => queue.size > 0);
    return {
      count: waiting.reduce((sum, queue) => sum + queue.size, 0),
      first: waiting.flatMap((queue) => queue.first(names)).slice(0, names),
    };
  }

  #push(place: Place): void {
    const isKnown = this.#known.has(place.path);
    this.#waiting[place.isLast ? (isKnown ? 3 : 2) : isKnown ? 0 : 1].push(place);
  }

  /** Answers what it cost. */
  async #lookAt({ path, tree, isLast }: Place): Promise<number> {
    const stats = attempt(() => ({ of: lstatSync(path, { throwIfNoEntry: false }) }));
    if (stats === undefined) this.closed.add(path);
    if (stats?.of?.isDirectory() !== true) return 0;
    const { ctimeMs, ino, size } = stats.of;
    let now = this.#known.get(path);
    let cost = 0;
    if (now?.changed !== ctimeMs || now.number !== ino) {
      const read = await this.#read(path, size, tree.look);
      cost = read.count + 1;
      const isSettled = Date.now() - ctimeMs > STEP_MS;
      now = { changed: isSettled ? ctimeMs : -1, number: ino, folders: read.folders, pass: 0 };
      if (this.#known.size < MOST_KNOWN || this.#known.has(path)) this.#known.set(path, now);
    }
    now.pass = this.#pass;
    for (const one of now.folders)
      this.#push({ path: one, tree, isLast: isLast || tree.last.has(basename(one)) });
    return cost;
  }

  async #read(folder: string, size: number, look: LookAt): Promise<{ count: number; folders: string[] }> {
    const read = { count: 0, folders: [] as string[] };
    const take = (names: Map<string, EntryKind>): void => {
      read.count += names.size;
      look(folder, names);
      for (const [name, kind] of names)
        if (kind === "folder" && name !== ".git") read.folders.push(join(folder, name));
    };
    try {
      if (size < LARGE) {
        const found = readdirSync(folder, { withFileTypes: true });
        take(new Map(found.map((one) => [one.name, kindOf(one)])));
        return read;
      }
      let names = new Map<string, EntryKind>();
      for await (const one of await opendir(folder, { bufferSize: PART })) {
        names.set(one.name, kindOf(one));
        if (names.size < PART) continue;
        take(names);
        names = new Map();
        await turn();
      }
      take(names);
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") this.closed.add(folder);
    }
    return read;
  }

  #forgetGone(): void {
    for (const [path, { pass }] of this.#known) if (pass !== this.#pass) this.#known.delete(path);
  }
}

/** First in, first out, of many. */
class Queue {
  #places: Place[] = [];
  #at = 0;

  get size(): number {
    return this.#places.length - this.#at;
  }

  push(place: Place): void {
    this.#places.push(place);
  }

  shift(): Place | undefined {
    const place = this.#places[this.#at++];
    if (this.#at > PART && this.#at * 2 > this.#places.length) {
      this.#places = this.#places.slice(this.#at);
      this.#at = 0;
    }
    return place;
  }

  first(count: number): string[] {
    return this.#places.slice(this.#at, this.#at + count).map(({ path }) => path);
  }

  clear(): void {
    this.#places = [];
    this.#at = 0;
  }
}

function kindOf(one: { isDirectory(): boolean; isFile(): boolean }): EntryKind {
  return one.isDirectory() ? "folder" : one.isFile() ? "file" : "other";
}
