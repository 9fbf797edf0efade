import { attempt, systemReason } from "@haft/system";
import { makeFolder } from "@haft/utils";
import { cpSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { nativePath } from "../../mounts/raw-path.ts";
import { entryExists } from "../../mounts/stats.ts";
import { withOpenFolder } from "../files/with-open-folder.ts";
import { type HiddenDeletion, showToGit } from "../git-index/hide-deletions.ts";
import { listFolders } from "../git/repository.ts";
import { type QuarantinedFile, listQuarantinedFiles } from "./quarantine.ts";
import { RestoredFiles } from "./restored-files.ts";

export interface QuarantineEntry extends QuarantinedFile {
  workspace: string;
}

export interface RestoreResult {
  path: string;
  kept: string;
  reason?: string;
}

const TRIES = 20;
const STEP_MS = 50;

/**
 * Oldest first.
 *
 * @param folder contains one folder per workspace
 */
export function listQuarantined(folder: string): QuarantineEntry[] {
  return listFolders(folder).flatMap((workspace) =>
    listQuarantinedFiles(getQuarantineFolder(workspace)).map((one) => ({ ...one, workspace })),
  );
}

/** @param workspace folder of its sessions */
export function getQuarantineFolder(workspace: string): string {
  return join(workspace, "held-back");
}

/** @param workspace folder of its sessions */
export function getRestoredFolder(workspace: string): string {
  return join(workspace, "restored");
}

/** Only if its path is free. Git checks it again, and sessions treat it as the user's. */
export async function restoreQuarantined({
  path,
  kept,
  git,
  workspace,
}: QuarantineEntry): Promise<RestoreResult> {
  if (entryExists(path)) return { path, kept, reason: "another file is in its place" };
  const blocking = findBlockingPath(dirname(path));
  if (blocking !== undefined) return { path, kept, reason: `${blocking} is in its way and is not a folder` };
  const restored = new RestoredFiles(getRestoredFolder(workspace));
  try {
    makeFolder(dirname(path));
    const isMoved = withOpenFolder(path, (at) => {
      moveBack(kept, at, (file) => restored.begin(path, file));
      restored.end(path);
      return true;
    });
    if (isMoved === undefined) return { path, kept, reason: "a link leads to its folder" };
    attempt(() => rmdirSync(dirname(kept)));
  } catch (thrown) {
    return { path, kept, reason: systemReason(thrown) };
  }
  if (git !== undefined) await showSoon(git);
  return { path, kept };
}

/** Retries for at most a second if git holds the lock. */
async function showSoon(git: HiddenDeletion): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    if (attempt(() => showToGit(git)) !== false) return;
    await sleep(STEP_MS);
  }
}

/** @param at the path in an open folder @param begin receives the current path before the move */
function moveBack(source: string, at: string, begin: (file: string) => void): void {
  begin(source);
  try {
    return renameSync(nativePath(source), nativePath(at));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EXDEV") throw thrown;
  }
  const beside = join(dirname(at), `.haft-restored-${process.pid}-${basename(dirname(source))}`);
  try {
    cpSync(nativePath(source).toString(), beside, {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
    });
    begin(beside);
    renameSync(beside, nativePath(at));
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
  rmSync(source, { recursive: true, force: true });
}

/** Returns the blocking file or broken link. */
function findBlockingPath(folder: string): string | undefined {
  if (!entryExists(folder)) return dirname(folder) === folder ? undefined : findBlockingPath(dirname(folder));
  return attempt(() => statSync(nativePath(folder)).isDirectory()) === true ? undefined : folder;
}
