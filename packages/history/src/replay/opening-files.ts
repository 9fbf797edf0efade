import type { Workspace } from "@haft/core";
import type { RunRecord } from "@haft/core/kernel";
import {
  type SnapshotStore,
  type SkippedEntry,
  type Snapshot,
  takeSnapshot,
} from "@haft/host/internal/snapshots";
import { readRegularFile } from "@haft/system";
import type { JournalStore } from "@haft/tools-fs";
import type { TransactionRecord } from "@haft/tools-fs/engine";
import { makeFolder, sha256 } from "@haft/utils";
import { cpSync, lstatSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { historyError } from "../errors.ts";

/** Bytes. */
const LARGEST = 1024 * 1024 * 1024;

/** Describes the source of a replay's files. */
export interface OpeningFiles {
  /** A sentence. */
  readonly how: string;
  /** Paths below the root whose content may differ; a folder includes its files. Empty if all files are exact. */
  readonly unsure: readonly UnsureFile[];
}

export interface UnsureFile {
  readonly path: string;
  readonly why: string;
  readonly packages?: true;
}

export interface OpeningSources {
  snapshots: SnapshotStore;
  scratch: SnapshotStore;
  journal: JournalStore;
  /** The current workspace, without files closed to file tools. */
  workspace(): Promise<Workspace>;
  filesFolder?: string | undefined;
}

/**
 * Restores a workspace's files at the start of a run, in an empty folder: given files, its snapshot, or
 * current files without later changes of file tools.
 *
 * @throws HaftError `REPLAY_UNAVAILABLE`
 */
export async function restoreOpeningFiles(
  run: RunRecord,
  into: string,
  sources: OpeningSources,
): Promise<OpeningFiles> {
  const { snapshots, filesFolder } = sources;
  if (filesFolder !== undefined) {
    cpSync(filesFolder, into, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    return { how: `The files are from the given folder ${filesFolder}.`, unsure: [] };
  }
  const snapshot = snapshots.find(run.runId);
  if (snapshot !== undefined) {
    const unsure = lay(snapshot, snapshots, into);
    return { how: "The files are from the snapshot at the start of the run.", unsure };
  }
  const { place, cwd } = run.workspace;
  if (place !== "host") throw unavailable(`The run used files in a ${place}, which were not recorded.`);
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw unavailable(`The run used ${cwd}, which no longer exists, and its files were not recorded.`);
  return fromJournal(run, into, sources);
}

const WHY: Readonly<Record<SkippedEntry["why"], string>> = {
  ignored: "it is ignored (.gitignore), so it was not recorded",
  packages: "installed packages are not recorded; the current packages are used",
  closed: "it is closed to file tools, so it was not recorded",
  large: "it is larger than the limit for a file",
  bound: "the workspace is larger than the limit",
  unreadable: "it could not be read",
  special: "it is not a regular file",
};

function lay(snapshot: Snapshot, contents: SnapshotStore, into: string): UnsureFile[] {
  const unsure = snapshot.leftOut.map(({ path, why }): UnsureFile => ({
    path,
    why: WHY[why],
    ...(why === "packages" && { packages: true }),
  }));
  for (const path of snapshot.folders) makeFolder(join(into, path));
  for (const [path, [hash, , mode]] of Object.entries(snapshot.files)) {
    const bytes = contents.readContent(hash);
    if (bytes === undefined) unsure.push({ path, why: "its content is missing in the state folder" });
    else put(into, path, bytes, mode);
  }
  for (const [path, target] of Object.entries(snapshot.links)) {
    makeFolder(dirname(join(into, path)));
    symlinkSync(target, join(into, path));
  }
  return unsure;
}

async function fromJournal(run: RunRecord, into: string, sources: OpeningSources): Promise<OpeningFiles> {
  const { openedAt, workspace } = run;
  const { cwd } = workspace;
  const changes = await changesSince(sources.journal, openedAt, `host:${cwd}`);
  const now = await takeSnapshot(await sources.workspace(), run.runId, sources.scratch);
  const unsure = [...lay(now, sources.scratch, into), ...changedByOthers(now, changes, openedAt)];
  const below = (path: string) => path.slice(cwd.length + 1);
  const lost = rewindFiles(
    {
      read: (path) => readPlain(join(into, below(path))),
      write: (path, content, mode) => put(into, below(path), content, mode),
      remove: (path) => rmSync(join(into, below(path)), { force: true }),
    },
    changes,
  );
  for (const path of lost)
    unsure.push({ path: below(path), why: "it was changed elsewhere after a file tool changed it" });
  const many = changes.length === 1 ? "one change" : `${changes.length} changes`;
  const how = `The files are the current files without ${many} of file tools since then; there is no snapshot (record: full takes one).`;
  return { how, unsure };
}

/** Returns changes without a file tool; a removed file is only visible by its folder. */
function changedByOthers(now: Snapshot, changes: readonly TransactionRecord[], since: number): UnsureFile[] {
  const touched = new Set(
    changes.flatMap(({ steps, folders }) => [
      ...folders,
      ...steps.flatMap((step) => (step.kind === "rename" ? [step.from, step.to] : [step.path])),
    ]),
  );
  const touchedFolders = new Set([...touched].map((path) => dirname(path)));
  const unsure: UnsureFile[] = [];
  const folders = new Set(Object.keys(now.files).map((path) => dirname(join(now.root, path))));
  for (const path of Object.keys(now.files)) {
    const absolute = join(now.root, path);
    const stats = lstatSync(absolute, { throwIfNoEntry: false });
    if (!path.startsWith(".git/") && !touched.has(absolute) && (stats?.ctimeMs ?? 0) > since)
      unsure.push({ path, why: "it was changed later, not by a file tool" });
  }
  for (const folder of [...folders, now.root]) {
    if (touchedFolders.has(folder) || folder.startsWith(join(now.root, ".git"))) continue;
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if ((stats?.mtimeMs ?? 0) <= since) continue;
    const path = folder === now.root ? "." : folder.slice(now.root.length + 1);
    unsure.push({ path, why: "a file in it was created or removed later, not by a file tool" });
  }
  return unsure;
}

async function changesSince(
  journal: JournalStore,
  since: number,
  scope: string,
): Promise<TransactionRecord[]> {
  const records: TransactionRecord[] = [];
  for (const entry of await journal.list()) {
    if (entry.state !== "committed" || entry.scope !== scope || entry.at < since) continue;
    const record = await journal.load(entry.id);
    if (record !== undefined) records.push(record);
  }
  return records.toSorted((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1));
}

function put(root: string, path: string, bytes: Uint8Array, mode: number): void {
  const place = join(root, path);
  makeFolder(dirname(place));
  writeFileSync(place, bytes, { mode: mode | 0o200 });
}

function readPlain(path: string): Uint8Array | undefined {
  try {
    return readRegularFile(path, { maxBytes: LARGEST });
  } catch {
    return undefined;
  }
}

function unavailable(message: string) {
  return historyError("REPLAY_UNAVAILABLE", message);
}

interface KnownFiles {
  read(path: string): Uint8Array | undefined;
  write(path: string, bytes: Uint8Array, mode: number): void;
  remove(path: string): void;
}

/** Reverts changes in copies, latest first. Returns paths that differ from the result of their change; these stay unchanged. */
function rewindFiles(files: KnownFiles, records: readonly TransactionRecord[]): string[] {
  const lost = new Set<string>();
  for (const { steps } of records.toReversed()) {
    for (const step of steps.toReversed()) {
      const paths = step.kind === "rename" ? [step.from, step.to] : [step.path];
      if (paths.some((path) => lost.has(path)) || !takeBack(files, step))
        for (const path of paths) lost.add(path);
    }
  }
  return [...lost];
}

function takeBack(files: KnownFiles, step: TransactionRecord["steps"][number]): boolean {
  if (step.kind === "rename") {
    const bytes = files.read(step.to);
    if (bytes === undefined || files.read(step.from) !== undefined) return false;
    if (step.unread !== true && hashOf(bytes) !== step.before.hash) return false;
    files.remove(step.to);
    files.write(step.from, bytes, step.before.mode);
    return true;
  }
  const now = files.read(step.path);
  if (step.kind === "remove") {
    if (now !== undefined || step.link || step.lost === true) return false;
    files.write(step.path, step.bytes, step.before.mode);
    return true;
  }
  if (now === undefined || hashOf(now) !== step.after.hash) return false;
  if (step.before === null) {
    files.remove(step.path);
    return true;
  }
  const before = withRanges(now, step.back);
  if (hashOf(before) !== step.before.hash) return false;
  files.write(step.path, before, step.before.mode);
  return true;
}

function withRanges(
  after: Uint8Array,
  back: readonly { start: number; end: number; bytes: Uint8Array }[],
): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, bytes } of back.toSorted((one, other) => one.start - other.start)) {
    parts.push(after.subarray(at, start), bytes);
    at = end;
  }
  parts.push(after.subarray(at));
  return Buffer.concat(parts);
}

function hashOf(bytes: Uint8Array): string {
  return sha256(bytes);
}
