import { attempt } from "@haft/system";
import { type BigIntStats, lstatSync, realpathSync } from "node:fs";
import { isSameFile } from "./file-stat.ts";
import { type Folder, type Folders, join } from "./folders.ts";

/** For systems without usable handles. Misses a link that is swapped in and out between two checks. */
export function createCheckedFolders(): Folders {
  const at = (path: string): Folder | undefined =>
    attempt(() => {
      const stats = lstatSync(path, { bigint: true });
      const isReal = stats.isDirectory() && realpathSync.native(path) === path;
      return isReal ? new CheckedFolder(path, stats) : undefined;
    });
  return {
    level: "best-effort",
    at,
    known: at,
    open(parent, name) {
      const entry = parent.entry(name);
      const stats = lstatSync(entry, { throwIfNoEntry: false, bigint: true });
      if (stats === undefined) return "missing";
      if (stats.isSymbolicLink()) return "link";
      if (!stats.isDirectory()) return "other";
      const real = realpathSync.native(entry);
      return real.startsWith(join(parent.path, "")) ? new CheckedFolder(real, stats) : "missing";
    },
  };
}

class CheckedFolder implements Folder {
  readonly path: string;
  readonly size: number;
  readonly #stats: BigIntStats;

  constructor(path: string, stats: BigIntStats) {
    this.path = path;
    this.#stats = stats;
    this.size = Number(stats.size);
  }

  entry(name: string): string {
    return name === "." ? this.path : join(this.path, name);
  }

  isCurrent(): boolean {
    const isSame = (): boolean =>
      isSameFile(lstatSync(this.path, { bigint: true }), this.#stats) &&
      realpathSync.native(this.path) === this.path;
    return attempt(isSame) === true;
  }

  contains(name: string, opened: BigIntStats): boolean {
    const now = lstatSync(this.entry(name), { throwIfNoEntry: false, bigint: true });
    return now !== undefined && isSameFile(now, opened) && this.isCurrent();
  }

  hold(): () => void {
    return () => {};
  }
}
