import { getErrorMessage } from "@haft/core";
import { temporaryName } from "@haft/system";
import { constants, lstatSync } from "node:fs";
import { lstat, open, readdir, unlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { containmentError } from "../../errors.ts";
import { hostMountTable, listSubmounts } from "../../mounts/mount-table.ts";

export interface FileTimes {
  slackMs: number;
}

const LONG_AGO_S = 1_000_000_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const SAMPLES = 3;
const SECOND_NS = 1_000_000_000n;
/** Steps of the kernel's change times. */
const KERNEL_STEP_MS = 20;
/** More slack would attribute too many of the user's changes to commands. */
const MOST_SLACK_MS = 3000;
const MOST_MOUNTS = 100;
const MOST_BELOW = 100;
/** Not writable for commands either. */
const CLOSED = new Set(["EROFS", "EACCES", "EPERM"]);
const FIX =
  "Work in a folder of a local disk, use a sandbox, or run commands without containment, with approvals.";

/** Tests change times with new files. @throws HaftError `CONTAINMENT_UNAVAILABLE` if programs can set them, or the clocks differ */
export async function probeFileTimes(folders: readonly string[]): Promise<FileTimes> {
  const table = folders.length === 0 ? [] : hostMountTable();
  const mounts = folders.flatMap((folder) =>
    listSubmounts(folder, table)
      .filter(({ readOnly, path }) => !readOnly && lstatSync(path).isDirectory())
      .map(({ path }) => path),
  );
  const all = [...new Set([...folders, ...mounts])];
  if (all.length > MOST_MOUNTS + folders.length)
    throw refused(folders[0]!, `more than ${MOST_MOUNTS} file systems are mounted below it`);
  const slacks = await Promise.all(all.map(probeFolder));
  return { slackMs: Math.max(0, ...slacks) };
}

async function probeFolder(folder: string): Promise<number> {
  let path = await makeFile(folder, folder);
  // A folder below may be writable.
  if (path === undefined) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.filter((one) => one.isDirectory()).slice(0, MOST_BELOW))
      path ??= await makeFile(join(folder, entry.name), folder);
  }
  if (path === undefined) return 0;
  try {
    return await measureSlack(folder, path);
  } finally {
    await unlink(path).catch(() => {});
  }
}

async function makeFile(at: string, folder: string): Promise<string | undefined> {
  const path = join(at, temporaryName());
  try {
    await (await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)).close();
    return path;
  } catch (thrown) {
    if (CLOSED.has((thrown as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw notTried(folder, thrown);
  }
}

async function measureSlack(folder: string, path: string): Promise<number> {
  let skewMs = 0;
  let isCoarse = true;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const before = Date.now();
    const { ctimeNs } = await setTimes(path).catch((thrown: unknown) => {
      throw notTried(folder, thrown);
    });
    const after = Date.now();
    const changed = Number(ctimeNs) / 1e6;
    if (Math.abs(changed - LONG_AGO_S * 1000) < DAY_MS)
      throw refused(folder, "programs can set the change times of files there");
    isCoarse &&= ctimeNs % SECOND_NS === 0n;
    skewMs = Math.max(skewMs, before - changed, changed - after);
  }
  if (isCoarse) throw refused(folder, "it stores change times of files in whole seconds");
  const slackMs = skewMs > KERNEL_STEP_MS ? Math.ceil(skewMs) : 0;
  if (slackMs > MOST_SLACK_MS)
    throw refused(
      folder,
      `its change times differ from the clock of this machine by ${(slackMs / 1000).toFixed(1)} seconds`,
    );
  return slackMs;
}

async function setTimes(path: string) {
  await utimes(path, LONG_AGO_S, LONG_AGO_S);
  return lstat(path, { bigint: true });
}

function refused(folder: string, why: string): Error {
  return containmentError(
    "SANDBOX_UNAVAILABLE",
    `the file system of ${folder} does not show which files commands have made, because ${why}`,
    FIX,
  );
}

function notTried(folder: string, thrown: unknown): Error {
  return containmentError(
    "SANDBOX_UNAVAILABLE",
    `the check of change times in ${folder} failed: ${getErrorMessage(thrown).replace(/\.$/, "")}`,
    FIX,
    { cause: thrown },
  );
}
