import { attempt, isAlive, copyFileAccess, getCurrentProcess } from "@haft/system";
import { randomUUID } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

const BESIDE = /\.haft-(\d+)-(\d*)-[\da-f-]{36}$/;

/** In one step, with the same or fewer permissions. Returns the state. */
export function replaceSettingsFile(path: string, text: Buffer): string {
  const { pid, started } = getCurrentProcess();
  const beside = `${path}.haft-${pid}-${started || ""}-${randomUUID()}`;
  const was = lstatSync(path, { throwIfNoEntry: false });
  const isFile = was?.isFile() === true;
  const file = openSync(beside, "wx", isFile ? 0o600 : 0o644);
  try {
    if (isFile) attempt(() => copyFileAccess(path, file));
    writeFileSync(file, text);
    if (was?.isDirectory() === true) clearPath(path);
    renameSync(beside, path);
    return readFileState(file);
  } finally {
    closeSync(file);
    attempt(() => unlinkSync(beside));
  }
}

export function clearPath(path: string): void {
  attempt(() => unlinkSync(path));
  attempt(() => rmdirSync(path));
  attempt(() => renameSync(path, `${path}.held-back-${randomUUID()}`));
}

/** Remains of killed processes. */
export function removeTemporaryFiles(path: string): void {
  const folder = dirname(path);
  for (const name of attempt(() => readdirSync(folder)) ?? []) {
    const [, pid, started] = (name.startsWith(`${basename(path)}.haft-`) && BESIDE.exec(name)) || [];
    if (pid !== undefined && !isAlive({ pid: Number(pid), started: Number(started) }))
      attempt(() => unlinkSync(join(folder, name)));
  }
}

export const NO_FILE = "none";

/** Identifies the content. An open file may no longer be at the path. */
export function readFileState(file: string | number): string {
  const stats = attempt<BigIntStats | undefined>(() =>
    typeof file === "number"
      ? fstatSync(file, { bigint: true })
      : lstatSync(file, { bigint: true, throwIfNoEntry: false }),
  );
  return stats === undefined
    ? NO_FILE
    : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}
