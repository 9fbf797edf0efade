export interface Snapshot {
  readonly version: 1;
  readonly runId: string;
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
  readonly root: string;
  /** Maps the path below the root (with `/`) to the content's SHA-256 (hex), bytes and permission bits. */
  readonly files: Readonly<Record<string, readonly [hash: string, size: number, mode: number]>>;
  readonly links: Readonly<Record<string, string>>;
  readonly folders: readonly string[];
  /** Lists entries that are not stored; a folder covers its content. */
  readonly leftOut: readonly SkippedEntry[];
}

export interface SkippedEntry {
  readonly path: string;
  /**
   * `ignored`: by `.gitignore`; `packages`: `node_modules`; `closed`: to the file tools; `large`, `bound`: beyond a limit; `unreadable`;
   * `special`: not a plain file.
   */
  readonly why: "ignored" | "packages" | "closed" | "large" | "bound" | "unreadable" | "special";
}

export interface SnapshotBounds {
  files: number;
  bytes: number;
  fileBytes: number;
}

export const SNAPSHOT_BOUNDS: SnapshotBounds = {
  files: 10_000,
  bytes: 100 * 1024 * 1024,
  fileBytes: 8 * 1024 * 1024,
};
