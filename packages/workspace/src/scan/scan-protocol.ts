import type { ScanEntry, ScanOptions, ScanPage } from "@haft/core";
import type { BoundaryOptions } from "../boundary/open-boundary.ts";
import type { OuterIgnores } from "./scan-files.ts";

/** Starts a scan in a thread. */
export interface ScanRequest {
  boundary: BoundaryOptions;
  path: string;
  options: Omit<ScanOptions, "signal">;
  outer: OuterIgnores | undefined;
}

/** Work of a thread. A scan has the number of its `open` job. */
export type ScanJob =
  | { kind: "open"; request: ScanRequest }
  | { kind: "page"; scan: number }
  | { kind: "close"; scan: number }
  | {
      kind: "filter";
      boundary: BoundaryOptions;
      path: string;
      text: NonNullable<ScanOptions["text"]>;
      entries: readonly ScanEntry[];
    };

export interface JobMessage {
  job: number;
  work: ScanJob;
}

export type JobAnswer = { job: number } & (
  | { page: ScanPage }
  | { entries: ScanEntry[] }
  | { failed: string }
);
