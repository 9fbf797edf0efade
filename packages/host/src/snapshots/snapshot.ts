export interface Snapshot {
  readonly version: 1;
  readonly runId: string;
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
  readonly root: string;
  /** By their path below the root, with `/`: hash of the content (SHA-256, hex), bytes, permission bits. */
  readonly files: Readonly<Record<string, readonly [hash: string, size: number, mode: number]>>;
  readonly links: Readonly<Record<string, string>>;
  readonly folders: readonly string[];
  /** What was there and is not kept; a folder stands for all in it. */
  readonly leftOut: readonly SkippedEntry[];
}

export interface SkippedEntry {
  readonly path: string;
  /** `ignored` by `.gitignore`; `packages`: `node_modules`; `closed` to the file tools; `large` or `bound`: beyond what is kept; `unreadable`; no plain file. */
  readonly why: "ignored" | "packages" | "closed" | "large" | "bound" | "unreadable" | "special";
}

export interface SnapshotBounds {
  files: number;
  bytes: number;
  /** Bytes of one. */
  fileBytes: number;
}

export const SNAPSHOT_BOUNDS: SnapshotBounds = {
  files: 10_000,
  bytes: 100 * 1024 * 1024,
  fileBytes: 8 * 1024 * 1024,
};
