import type { BigIntStats } from "node:fs";

/** One real folder, held so that operations on its children happen in it and nowhere else. */
export interface Folder {
  /** Where it was when it was opened: absolute, no link in it. */
  readonly path: string;
  /** The path to hand to the kernel for one entry. `.` is the folder itself. */
  entry(name: string): string;
  isCurrent(): boolean;
  /** Was this opened file reached through this folder, and only so? */
  contains(name: string, opened: BigIntStats): boolean;
  /**
   * Keeps the folder usable across an `await`; without it, it is only good until the event loop turns.
   * Answers the function that lets go.
   */
  hold(): () => void;
}

export type NotAFolder = "missing" | "link" | "other";

/** How folders are held: by handles where the kernel allows it, by looking twice elsewhere. */
export interface Folders {
  readonly level: "kernel" | "best-effort";
  /** A folder by its absolute real path; `undefined` when it is not there (any more) without a link. */
  at(path: string): Folder | undefined;
  /** An already known folder, at the cost of one check; `undefined` proves nothing. */
  known(path: string): Folder | undefined;
  open(parent: Folder, name: string): Folder | NotAFolder;
}

/** The path of an entry, without doubling the slash of `/`. */
export function join(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}
