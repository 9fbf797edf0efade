import { type FileSystem, type HaftError, getErrorMessage } from "@haft/plugin-sdk";
import { temporaryName } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import { fileToolError } from "../../errors.ts";
import { childPath, getParentPath } from "../../paths/locate.ts";
import {
  findSuccessorStep,
  getRevertedMode,
  modeToRestore,
  type StepMark,
  type TransactionRecord,
  type TransactionStep,
} from "../journal/transaction.ts";
import { contentHash } from "../text/content-hash.ts";
import { readSnapshotIfExists, type FileSnapshot } from "../text/file-snapshot.ts";
import { applySplices } from "../text/splice.ts";

type StepState = "before" | "after" | "other";

export interface CommitProgress {
  done: readonly StepMark[];
  /** Whether the next step may also have run. */
  inDoubt: boolean;
}

export interface RollBackResult {
  restored: string[];
  failed: { path: string; reason: string }[];
}

/**
 * Reverts completed steps, last first, and removes created folders. A file with another version than its step left stays. Only the step in
 * doubt is compared by content.
 */
export async function rollBack(
  fs: FileSystem,
  record: TransactionRecord,
  { done, inDoubt }: CommitProgress,
): Promise<RollBackResult> {
  const result: RollBackResult = { restored: [], failed: [] };
  const begun = record.steps.slice(0, done.length + (inDoubt ? 1 : 0));
  for (const [index, step] of [...begun.entries()].toReversed()) {
    const path = step.kind === "rename" ? step.from : step.path;
    try {
      const mark = done[index];
      const state = mark === undefined ? await readStepState(fs, step) : await stateByMark(fs, step, mark);
      if (state === "other") {
        result.failed.push({ path, reason: "it was changed by something else in between" });
      } else if (state === "after") {
        await takeBack(fs, step, record);
        result.restored.push(path);
      }
    } catch (error) {
      result.failed.push({ path, reason: getErrorMessage(error) });
    }
  }
  if (begun.length > 0) await removeFolders(fs, record.folders);
  return result;
}

async function stateByMark(fs: FileSystem, step: TransactionStep, mark: StepMark): Promise<StepState> {
  const path = step.kind === "rename" ? step.to : step.path;
  const found = await fs.stat(path, { follow: false });
  if (found?.type === "directory" && mark === null) return "after"; // A later step of the record created the folder.
  return (found?.version ?? null) === mark ? "after" : "other";
}

export async function readStepState(fs: FileSystem, step: TransactionStep): Promise<StepState> {
  if (step.kind === "rename" && step.unread === true) return await stateOfUnread(fs, step);
  if (step.kind === "rename") {
    const from = await current(fs, step.from);
    const to = await current(fs, step.to);
    if (hashOf(to) === step.before.hash && (from === undefined || from.stat.version === to?.stat.version))
      return "after";
    return hashOf(from) === step.before.hash && to === undefined ? "before" : "other";
  }
  if (step.kind === "remove") {
    const found = await fs.stat(step.path, { follow: false });
    if (found === undefined) return "after";
    if (step.link) return found.type === "symlink" ? "before" : "other";
    if (step.lost === true) return "before";
    return hashOf(await current(fs, step.path)) === step.before.hash ? "before" : "other";
  }
  const hash = hashOf(await current(fs, step.path));
  if (hash === step.after.hash) return "after";
  return hash === (step.before?.hash ?? null) ? "before" : "other";
}

async function stateOfUnread(
  fs: FileSystem,
  { from, to, before }: Extract<TransactionStep, { kind: "rename" }>,
): Promise<StepState> {
  const [old, moved] = [await fs.stat(from, { follow: false }), await fs.stat(to, { follow: false })];
  if (old === undefined && moved?.size === before.size) return "after";
  return moved === undefined && old?.size === before.size ? "before" : "other";
}

async function takeBack(fs: FileSystem, step: TransactionStep, record: TransactionRecord): Promise<void> {
  if (step.kind === "rename") {
    const moved = await fs.stat(step.to, { follow: false });
    // Another file at the old name blocks the rename.
    const there = await fs.stat(step.from, { follow: false });
    const replace = there !== undefined && there.version === moved?.version;
    await fs.rename(step.to, step.from, withoutUndefined({ replace, ifMatch: moved?.version }));
    return;
  }
  if (step.kind === "remove") {
    if (step.link) throw fileToolError("UNDO_IMPOSSIBLE", "a symbolic link cannot be restored");
    if (step.lost === true) throw fileToolError("UNDO_IMPOSSIBLE", "the file was too large to store");
    // The name of a removed file may now be a folder.
    await removeFolders(
      fs,
      record.folders.filter((folder) => folder === step.path || folder.startsWith(`${step.path}/`)),
    );
    const like = findSuccessorStep(record, step)?.path;
    const permissions = like === undefined ? modeToRestore(step.before) : undefined;
    const options = { ifMatch: null, permissions, like };
    await fs.write(step.path, step.bytes, withoutUndefined(options));
    return;
  }
  const found = await current(fs, step.path);
  if (found === undefined) return;
  const ifMatch = found.stat.version;
  if (step.before === null) await fs.remove(step.path, { ifMatch });
  else {
    const bytes = applySplices(found.bytes, step.back);
    const mode = getRevertedMode(step.before.mode, found.stat.mode, step.after.mode);
    if (found.stat.mode === mode) await fs.write(step.path, bytes, { ifMatch });
    else await replaceFile(fs, step.path, bytes, mode, ifMatch);
  }
}

/**
 * Replaces a file and its permissions with one rename. Owner and attributes come from the file `like`. @returns whether they could not be
 * set
 */
export async function replaceFile(
  fs: FileSystem,
  path: string,
  bytes: Buffer,
  permissions: number,
  ifMatch: string,
  like = path,
): Promise<boolean> {
  const found = await fs.stat(path);
  if (found?.version !== ifMatch) throw changedDuringCommitError(path);
  // The host's naming scheme lets cleanup find temporary files.
  const temporary = childPath(getParentPath(path) ?? ".", temporaryName());
  const { accessLost = false } = await fs.write(temporary, bytes, { ifMatch: null, permissions, like });
  try {
    await fs.rename(temporary, path, { replace: true });
  } catch (error) {
    await fs.remove(temporary).catch(() => undefined);
    throw error;
  }
  return accessLost;
}

export async function removeFolders(fs: FileSystem, folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) {
    try {
      if ((await fs.stat(folder))?.type === "directory") await fs.remove(folder);
    } catch {
      // The folder is not empty, or missing.
    }
  }
}

export function changedDuringCommitError(path: string): HaftError {
  return fileToolError("FILE_CHANGED", `${path} was changed by something else in between.`, {
    details: { path },
    receipt: "none",
  });
}

function current(fs: FileSystem, path: string): Promise<FileSnapshot | undefined> {
  return readSnapshotIfExists(fs, path, Number.POSITIVE_INFINITY);
}

const hashOf = (file: FileSnapshot | undefined): string | null =>
  file === undefined ? null : contentHash(file.bytes);
