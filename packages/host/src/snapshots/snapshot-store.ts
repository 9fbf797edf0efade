import { writeAtomically, makePrivateFolder, temporaryName, readRegularFile } from "@haft/system";
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Snapshot } from "./snapshot.ts";

/** Bytes. */
const LARGEST = 1024 * 1024 * 1024;

/** Bytes of all snapshots; the oldest are removed first. */
const MAX_BYTES = 1024 ** 3;
const MAX_AGE_MS = 30 * 86_400_000;
/** Milliseconds of a snapshot, after which its process counts as crashed. */
const TAKING_MS = 3_600_000;

/**
 * Stores file contents and lists of them, in `objects/ab/cdef…` and `runs/RUN.json`. Equal contents are
 * copied once: a hard link would change with the file.
 */
export class SnapshotStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Protects contents from `sweep` until the returned function runs. */
  begin(): () => void {
    const folder = join(this.#folder, "taking");
    makePrivateFolder(this.#folder);
    makePrivateFolder(folder);
    const mark = join(folder, temporaryName());
    writeFileSync(mark, "", { mode: 0o600 });
    return () => rmSync(mark, { force: true });
  }

  writeContent(hash: string, bytes: Uint8Array): void {
    const path = this.#objectPath(hash);
    if (existsSync(path)) {
      utimesSync(path, new Date(), new Date());
      return;
    }
    makePrivateFolder(this.#folder);
    makePrivateFolder(join(this.#folder, "objects"));
    makePrivateFolder(join(this.#folder, "objects", hash.slice(0, 2)));
    writeWhole(path, bytes);
  }

  /** Adds a run's snapshot, after its contents. */
  add(snapshot: Snapshot): void {
    makePrivateFolder(this.#folder);
    makePrivateFolder(join(this.#folder, "runs"));
    writeWhole(this.#runPath(snapshot.runId), Buffer.from(JSON.stringify(snapshot)));
  }

  find(runId: string): Snapshot | undefined {
    try {
      const read = JSON.parse(
        readRegularFile(this.#runPath(runId), { maxBytes: LARGEST }).toString("utf8"),
      ) as Snapshot;
      return read.version === 1 ? read : undefined;
    } catch {
      return undefined;
    }
  }

  readContent(hash: string): Uint8Array | undefined {
    try {
      return readRegularFile(this.#objectPath(hash), { maxBytes: LARGEST });
    } catch {
      return undefined;
    }
  }

  /**
   * Removes old, oversized and orphaned snapshots, and unused contents.
   *
   * @param exists whether the ledger still has the run
   */
  async sweep(exists: (runId: string) => Promise<boolean>, now = Date.now()): Promise<void> {
    const remaining: Snapshot[] = [];
    for (const runId of this.#runs()) {
      const snapshot = this.find(runId);
      const isOld = snapshot === undefined || now - snapshot.takenAt > MAX_AGE_MS;
      if (isOld || !(await exists(runId))) rmSync(this.#runPath(runId), { force: true });
      else remaining.push(snapshot);
    }
    let bytes = 0;
    const needed = new Set<string>();
    for (const snapshot of remaining.toSorted((one, other) => other.takenAt - one.takenAt)) {
      const contents = Object.values(snapshot.files);
      for (const [hash, size] of contents) if (!needed.has(hash)) bytes += size;
      // The newest snapshot was limited when taken.
      if (bytes > MAX_BYTES && needed.size > 0) rmSync(this.#runPath(snapshot.runId), { force: true });
      else for (const [hash] of contents) needed.add(hash);
    }
    this.#removeUnneeded(needed, now);
  }

  #removeUnneeded(needed: ReadonlySet<string>, now: number): void {
    const objects = join(this.#folder, "objects");
    const taking = join(this.#folder, "taking");
    const isTaken = namesIn(taking).some((name) => now - modified(join(taking, name)) < TAKING_MS);
    for (const start of namesIn(objects)) {
      for (const rest of namesIn(join(objects, start))) {
        const path = join(objects, start, rest);
        if (needed.has(start + rest)) continue;
        if (!isTaken || now - modified(path) > TAKING_MS) rmSync(path, { force: true });
      }
    }
  }

  #runs(): string[] {
    return namesIn(join(this.#folder, "runs")).flatMap((name) => /^(.+)\.json$/.exec(name)?.[1] ?? []);
  }

  #runPath(runId: string): string {
    // Other text must not become a file name.
    return join(this.#folder, "runs", `${/^\w+$/.test(runId) ? runId : "-"}.json`);
  }

  #objectPath(hash: string): string {
    return join(this.#folder, "objects", hash.slice(0, 2), hash.slice(2));
  }
}

/** A crash must not leave a partial file. */
function writeWhole(path: string, bytes: Uint8Array): void {
  writeAtomically(path, bytes);
}

function modified(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
