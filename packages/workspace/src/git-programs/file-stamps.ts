import { statSync } from "node:fs";
import { attempt } from "../system/attempt.ts";

/** Records the state of files and folders when they are read, to detect a later change. */
export class FileStamps {
  readonly #stamps = new Map<string, string>();

  /** Call this before the path is read. */
  note(path: string): void {
    if (!this.#stamps.has(path)) this.#stamps.set(path, stampOf(path));
  }

  haveChanged(): boolean {
    for (const [path, stamp] of this.#stamps) if (stampOf(path) !== stamp) return true;
    return false;
  }
}

function stampOf(path: string): string {
  const stats = attempt(() => statSync(path, { bigint: true, throwIfNoEntry: false }));
  if (stats === undefined) return "";
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(":");
}
