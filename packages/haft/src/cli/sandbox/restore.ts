import { defaultStateFolder, getTemporaryStateFolder } from "@haft/config/internal/boundary";
import { listQuarantined, type QuarantineEntry, restoreQuarantined } from "@haft/sandbox/view";
import { attempt, isWithin } from "@haft/system";
import { escapeInvisible } from "@haft/utils";
import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { refuseInSession } from "../refuse-in-session.ts";

/** Exit code 1: a path was not restored. */
export async function restoreFromQuarantine(
  values: { json?: boolean; all?: boolean; state?: string },
  paths: readonly string[],
): Promise<number> {
  const folders = [
    join(resolve(values.state ?? defaultStateFolder()), "contained"),
    getTemporaryStateFolder(),
  ];
  const found = folders.flatMap((folder) => listQuarantined(folder));
  const isMeant = (path: string, named: string) =>
    candidatesOf(resolve(named)).some((candidate) => isWithin(path, candidate));
  const below = paths.length === 0 ? [process.cwd()] : paths;
  const wanted = newest(found.filter(({ path }) => below.some((named) => isMeant(path, named))));
  if (paths.length === 0 && values.all !== true) return list(wanted, values.json === true);
  refuseInSession("restore quarantined files");
  const results = [];
  for (const one of wanted) results.push(await restoreQuarantined(one));
  const failed = results.filter(({ reason }) => reason !== undefined);
  const unknown = paths.filter((path) => !wanted.some((one) => isMeant(one.path, path)));
  if (values.json) {
    const restored = results.filter(({ reason }) => reason === undefined).map(({ path }) => path);
    const unfound = unknown.map((path) => ({
      path: resolve(path),
      kept: "",
      reason: `it ${whyNot(path, found)}`,
    }));
    console.log(JSON.stringify({ quarantined: [], restored, failed: [...failed, ...unfound] }));
  } else {
    for (const { path, reason } of results)
      if (reason === undefined) console.log(`Restored ${escapeInvisible(path)}.`);
    if (results.length === 0 && unknown.length === 0) console.log("Nothing is in quarantine here.");
    for (const { path, kept, reason } of failed)
      console.error(
        `haft: ${escapeInvisible(path)} was not restored: ${reason}. It is stored as ${escapeInvisible(kept)}.`,
      );
    for (const path of unknown) console.error(`haft: ${escapeInvisible(path)} ${whyNot(path, found)}.`);
  }
  return failed.length + unknown.length === 0 ? 0 : 1;
}

function list(found: readonly QuarantineEntry[], isJson: boolean): number {
  if (isJson) {
    const quarantined = found.map(({ path, kept, git }) => ({ path, kept, tracked: git !== undefined }));
    console.log(JSON.stringify({ quarantined, restored: [], failed: [] }));
    return 0;
  }
  if (found.length === 0) console.log("Nothing is in quarantine here.");
  for (const { path, kept, git } of found)
    console.log(
      `${escapeInvisible(path)}${git === undefined ? "" : " (git tracks it)"}\n  stored as ${escapeInvisible(kept)}`,
    );
  if (found.length > 0)
    console.log(
      "\nCheck the stored files first. haft sandbox restore PATH restores one, --all restores all.",
    );
  return 0;
}

/** A path's last entry replaced the others. */
function newest(found: readonly QuarantineEntry[]): QuarantineEntry[] {
  return [...new Map(found.map((one) => [one.path, one])).values()];
}

function whyNot(path: string, found: readonly QuarantineEntry[]): string {
  const whole = found.find((one) =>
    candidatesOf(resolve(path)).some((candidate) => isWithin(candidate, one.path)),
  );
  if (whole === undefined) return "is not in quarantine";
  const name = escapeInvisible(whole.path);
  return `is part of ${name}, which is in quarantine as a whole: haft sandbox restore ${name} restores it`;
}

/** Sessions use the folder's real path, and the path may now be a link. */
function candidatesOf(path: string): string[] {
  return [join(resolveLink(dirname(path)), basename(path)), resolveLink(path)];
}

const MAX_LINKS = 40;

function resolveLink(path: string, links = 0): string {
  const real = attempt(() => realpathSync.native(path));
  const folder = dirname(path);
  if (real !== undefined || folder === path) return real ?? path;
  const target = links < MAX_LINKS ? attempt(() => readlinkSync(path)) : undefined;
  if (target !== undefined) return resolveLink(resolve(folder, target), links + 1);
  const above = resolveLink(folder, links);
  const joined = join(above, basename(path));
  return above === folder || links >= MAX_LINKS ? joined : resolveLink(joined, links + 1);
}
