import type { ScanEntry, ScanOptions, ScanPage } from "@haft/core";
import type { BoundaryOptions } from "../boundary/open-boundary.ts";
import type { OuterIgnores } from "./read-outer-ignores.ts";

/** Contains entries as two strings, because threads exchange strings faster than objects. */
export interface PackedEntries {
  /** Contains the paths, with a zero character between two. */
  paths: string;
  /** Contains one letter for each type. */
  types: string;
}

export type PackedPage = Omit<ScanPage, "entries"> & { entries: PackedEntries };

const LETTERS: Readonly<Record<ScanEntry["type"], string>> = {
  file: "f",
  directory: "d",
  symlink: "l",
  other: "o",
};
const TYPES = new Map(Object.entries(LETTERS).map(([type, letter]) => [letter, type as ScanEntry["type"]]));

export function packPage(page: ScanPage): PackedPage {
  const { entries } = page;
  let types = "";
  for (const { type } of entries) types += LETTERS[type];
  return { ...page, entries: { paths: entries.map(({ path }) => path).join("\0"), types } };
}

/** Returns all entries, or those with a number in `chosen`. */
export function unpackPage(page: PackedPage, chosen?: Uint16Array): ScanPage {
  const { paths, types } = page.entries;
  const all = paths.split("\0");
  const entry = (at: number): ScanEntry => ({ path: all[at]!, type: TYPES.get(types[at]!)! });
  const numbers = chosen ?? Array.from(types, (_, at) => at);
  return { ...page, entries: Array.from(numbers, entry) };
}

/** Starts a scan in a thread. */
export interface ScanRequest {
  boundary: BoundaryOptions;
  path: string;
  options: Omit<ScanOptions, "signal">;
  outer: OuterIgnores | undefined;
}

/** Excludes files of a page. */
export interface FilterRequest {
  boundary: BoundaryOptions;
  path: string;
  text: NonNullable<ScanOptions["text"]>;
  page: PackedPage;
}

/** Work of a thread. A scan has the number of its `open` job. */
export type ScanJob =
  | { kind: "open"; request: ScanRequest }
  | { kind: "page"; scan: number }
  | { kind: "close"; scan: number }
  | { kind: "filter"; request: FilterRequest };

export interface JobMessage {
  job: number;
  work: ScanJob;
}

export type JobAnswer = { job: number } & (
  | { page: PackedPage }
  | { chosen: Uint16Array }
  | { failed: string }
);
