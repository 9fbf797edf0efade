import { attempt } from "@haft/workspace/internal/system";
import { lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";

/** How far one look goes. */
export interface LookBounds {
  /** Folders that changed and names read in them, together. What did not change costs time only. */
  entries: number;
  /** Milliseconds. */
  ms: number;
}

export type EntryKind = "file" | "folder" | "other";

interface Known {
  /** When anything in it was last made, moved or removed: nobody can set this time. */
  changed: bigint;
  folders: readonly string[];
}

/** Looked into after all others. */
const LAST = new Set(["node_modules", ".venv", "target", "vendor"]);
/** So long the host is kept busy without a break. */
const SLICE_MS = 8;
/** The system counts these times in steps: a folder that changed so shortly before it was read may change again unseen. */
const STEP_NS = 50_000_000n;

/** Looks at folders again and again, and reads those that changed. */
export class FolderWalk {
  readonly #roots: readonly string[];
  #known = new Map<string, Known>();

  constructor(roots: readonly string[]) {
    this.#roots = roots;
  }

  /**
   * Calls `look` for each folder that changed since the last time, the upper ones first. Folders that it takes out of the names are
   * not looked into, nor is `.git`. Answers how many folders a bound left unlooked at, of those that are known.
   */
  async walk(
    { entries, ms }: LookBounds,
    look: (folder: string, names: Map<string, EntryKind>) => void,
  ): Promise<number> {
    const until = performance.now() + ms;
    const waiting = [...this.#roots];
    const last: string[] = [];
    const seen = new Map<string, Known>();
    let left = entries;
    let pause = performance.now() + SLICE_MS;
    for (let at = 0, lastAt = 0; ;) {
      const folder = at < waiting.length ? waiting[at++] : last[lastAt++];
      if (folder === undefined) {
        this.#known = seen;
        return 0;
      }
      const before = this.#known.get(folder);
      const changed = changeOf(folder);
      if (changed !== undefined) {
        let now = before;
        if (before === undefined || before.changed !== changed) {
          const names = namesIn(folder);
          left -= names.size + 1;
          look(folder, names);
          const isSettled = BigInt(Date.now()) * 1_000_000n - changed > STEP_NS;
          now = { changed: isSettled ? changed : -1n, folders: foldersOf(folder, names) };
        }
        seen.set(folder, now!);
        for (const one of now!.folders) (LAST.has(basename(one)) ? last : waiting).push(one);
      }
      const time = performance.now();
      if (left < 0 || time > until) {
        const unlooked = waiting.length - at + last.length - lastAt;
        // What was not reached is as it was known.
        this.#known = new Map([...this.#known, ...seen]);
        return unlooked;
      }
      if (time > pause) {
        await turn();
        pause = performance.now() + SLICE_MS;
      }
    }
  }
}

function namesIn(folder: string): Map<string, EntryKind> {
  const found = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return new Map(
    found.map((one) => [one.name, one.isDirectory() ? "folder" : one.isFile() ? "file" : "other"]),
  );
}

function foldersOf(folder: string, names: ReadonlyMap<string, EntryKind>): string[] {
  const folders = Array.from(names).filter(([name, kind]) => kind === "folder" && name !== ".git");
  return folders.map(([name]) => join(folder, name));
}

/** Of a folder; `undefined` for anything else. */
function changeOf(path: string): bigint | undefined {
  const stats = attempt(() => lstatSync(path, { bigint: true }));
  return stats?.isDirectory() === true ? stats.ctimeNs : undefined;
}
