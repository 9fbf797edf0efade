// Internal to Haft: it may change with any version.
export { SnapshotStore } from "../snapshots/snapshot-store.ts";
export type { SkippedEntry, Snapshot } from "../snapshots/snapshot.ts";
export { takeSnapshot } from "../snapshots/take-snapshot.ts";
