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
import { listQuarantinedFiles } from "./quarantine.ts";
import { RestoredFiles } from "./restored-files.ts";

/**
 * A file that was moved to quarantine after a contained command.
 *
 * @example
 * ```ts
 * import type { QuarantineEntry } from "@haft/sandbox/view";
 * const format = ({ path, kept }: QuarantineEntry) => `${path} is in ${kept}`;
 * ```
 */
export interface QuarantineEntry {
  /** Absolute path that it had. */
  path: string;
  /** Absolute path in quarantine. */
  kept: string;
  /** Present if git tracks the file, and does not report it as deleted, unless `isUnmarked` is set. */
  git?: HiddenDeletion;
  /** Another git held the lock of the index when it was moved, so git can report it as deleted until the lock is gone. */
  isUnmarked?: true;
  /** The folder that contained sessions of the workspace share. */
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
 * Lists the files in quarantine, the oldest first.
 *
 * @param folder The folder that has one folder for each workspace.
 * @example
 * ```ts
 * import { listQuarantined } from "@haft/sandbox/view";
 * console.log(listQuarantined("/srv/state/contained").map(({ path }) => path));
 * ```
 */
export function listQuarantined(folder: string): QuarantineEntry[] {
  return listFolders(folder).flatMap((workspace) =>
    listQuarantinedFiles(getQuarantineFolder(workspace)).map((one) => ({ ...one, workspace })),
  );
}

export function getQuarantineFolder(workspace: string): string {
  return join(workspace, "held-back");
}

export function getRestoredFolder(workspace: string): string {
  return join(workspace, "restored");
}

/**
 * Moves a file from quarantine back to its path, unless another file is there. Git tracks it again, and contained sessions treat it as a
 * file of the user.
 *
 * @returns `reason`: why the file was not restored
 * @example
 * ```ts
 * import { listQuarantined, restoreQuarantined } from "@haft/sandbox/view";
 * for (const entry of listQuarantined("/srv/state/contained")) {
 *   const { path, reason } = await restoreQuarantined(entry);
 *   if (reason !== undefined) console.error(path, reason);
 * }
 * ```
 */
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

async function showSoon(git: HiddenDeletion): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    if (attempt(() => showToGit(git)) !== false) return;
    await sleep(STEP_MS);
  }
}

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

function findBlockingPath(folder: string): string | undefined {
  if (!entryExists(folder)) return dirname(folder) === folder ? undefined : findBlockingPath(dirname(folder));
  return attempt(() => statSync(nativePath(folder)).isDirectory()) === true ? undefined : folder;
}
