import type { BigIntStats } from "node:fs";

/** Represents one real folder. Operations on its children happen only in this folder. */
export interface Folder {
  /** The path at the time of opening: absolute, without links. */
  readonly path: string;
  /** Returns the path of one entry for system calls. `.` is the folder itself. */
  entry(name: string): string;
  isCurrent(): boolean;
  /** Returns whether this opened file was reached only through this folder. */
  contains(name: string, opened: BigIntStats): boolean;
  /**
   * Keeps the folder usable across an `await`, until the returned function is called. Without it, the folder is valid until the event loop
   * turns.
   */
  hold(): () => void;
}

export type NotAFolder = "missing" | "link" | "other";

/** Opens folders: by handles if the kernel supports them, else by checking twice. */
export interface Folders {
  readonly level: "kernel" | "best-effort";
  /** Returns a folder by its absolute real path, or `undefined` if it is missing or the path contains a link. */
  at(path: string): Folder | undefined;
  /** Returns a cached folder after one check. `undefined` does not mean that the folder is missing. */
  known(path: string): Folder | undefined;
  open(parent: Folder, name: string): Folder | NotAFolder;
}

/** Returns the path of an entry, without doubling the slash of `/`. */
export function join(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}
