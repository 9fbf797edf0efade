import type { BigIntStats } from "node:fs";

/** Runs operations on children only in this folder. */
export interface Folder {
  readonly path: string;
  /** In bytes, at the time of opening. */
  readonly size: number;
  entry(name: string): string;
  isCurrent(): boolean;
  contains(name: string, opened: BigIntStats): boolean;
  /** Keeps the folder usable across an `await`, until the returned function is called. */
  hold(): () => void;
}

export type NotAFolder = "missing" | "link" | "other";

export interface Folders {
  readonly level: "kernel" | "best-effort";
  /** Returns `undefined` if the folder is missing or the path contains a link. */
  at(path: string): Folder | undefined;
  /** Returns a cached folder after one check; `undefined` if it is not cached. */
  known(path: string): Folder | undefined;
  open(parent: Folder, name: string): Folder | NotAFolder;
}

export function join(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}
