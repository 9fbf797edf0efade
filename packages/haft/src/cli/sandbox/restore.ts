import { escapeInvisible } from "@haft/core/internal";
import { listQuarantined, type Quarantined, restoreQuarantined } from "@haft/sandbox/internal";
import { attempt, isWithin } from "@haft/workspace/internal/system";
import { realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { defaultStateFolder, temporaryState } from "../../boundary/state-folder.ts";
import { refuseInSession } from "../refuse-in-session.ts";

/**
 * `haft sandbox restore`: lists what was quarantined after contained commands, or puts it back. Exit code 1 when a path could not be
 * restored.
 */
export async function restoreFromQuarantine(
  values: { json?: boolean; all?: boolean; state?: string },
  paths: readonly string[],
): Promise<number> {
  const folders = [join(resolve(values.state ?? defaultStateFolder()), "contained"), temporaryState()];
  const found = folders.flatMap((folder) => listQuarantined(folder));
  const below = paths.length === 0 ? [process.cwd()] : paths.map((path) => resolve(path));
  const wanted = newest(found.filter(({ path }) => below.some((folder) => isWithin(path, placeOf(folder)))));
  if (paths.length === 0 && values.all !== true) return list(wanted, values.json === true);
  refuseInSession("restore quarantined files", "TRUST_OF_SESSION");
  const results = [];
  for (const one of wanted) results.push(await restoreQuarantined(one));
  const failed = results.filter(({ reason }) => reason !== undefined);
  const unknown = paths.filter((path) => !wanted.some((one) => isWithin(one.path, placeOf(resolve(path)))));
  if (values.json) {
    const restored = results.filter(({ reason }) => reason === undefined).map(({ path }) => path);
    const reason = "it is not in quarantine";
    const unfound = unknown.map((path) => ({ path: resolve(path), kept: "", reason }));
    console.log(JSON.stringify({ quarantined: [], restored, failed: [...failed, ...unfound] }));
  } else {
    for (const { path, reason } of results)
      if (reason === undefined) console.log(`Restored ${escapeInvisible(path)}.`);
    if (results.length === 0 && unknown.length === 0) console.log("Nothing is in quarantine here.");
    for (const { path, kept, reason } of failed)
      console.error(
        `haft: ${escapeInvisible(path)} was not restored: ${reason}. It is kept as ${escapeInvisible(kept)}.`,
      );
    for (const path of unknown) console.error(`haft: ${escapeInvisible(path)} is not in quarantine.`);
  }
  return failed.length + unknown.length === 0 ? 0 : 1;
}

function list(found: readonly Quarantined[], isJson: boolean): number {
  if (isJson) {
    const quarantined = found.map(({ path, kept, git }) => ({ path, kept, tracked: git !== undefined }));
    console.log(JSON.stringify({ quarantined, restored: [], failed: [] }));
    return 0;
  }
  if (found.length === 0) console.log("Nothing is in quarantine here.");
  for (const { path, kept, git } of found)
    console.log(
      `${escapeInvisible(path)}${git === undefined ? "" : " (git tracks it)"}\n  kept as ${escapeInvisible(kept)}`,
    );
  if (found.length > 0)
    console.log(
      "\nLook at what is kept first. haft sandbox restore PATH restores one, --all restores all of these.",
    );
  return 0;
}

/** The last of each path: the others were replaced by it. */
function newest(found: readonly Quarantined[]): Quarantined[] {
  return [...new Map(found.map((one) => [one.path, one])).values()];
}

/** As sessions name it: the folder by its real path. */
function placeOf(path: string): string {
  const real = attempt(() => realpathSync.native(path));
  if (real !== undefined) return real;
  const folder = dirname(path);
  return folder === path ? path : join(placeOf(folder), path.slice(folder.length));
}
