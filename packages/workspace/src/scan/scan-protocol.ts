import type { ScanEntry, ScanOptions, ScanPage } from "@haft/core";
import type { BoundaryOptions } from "../boundary/open-boundary.ts";
import type { OuterIgnores } from "./read-outer-ignores.ts";

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
  entries: readonly ScanEntry[];
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
  | { page: ScanPage }
  | { entries: ScanEntry[] }
  | { failed: string }
);
