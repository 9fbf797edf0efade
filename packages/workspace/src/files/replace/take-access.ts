import type { WriteOptions } from "@haft/core/internal";
import { compareAttributes, copyAttributes, grantAccess } from "@haft/system";
import { type BigIntStats, closeSync, fchmodSync } from "node:fs";
import type { Request } from "../../boundary/failures.ts";
import type { BoundaryHost } from "../../boundary/host.ts";
import { inspectTarget, openFile } from "../../boundary/walk/open-file.ts";
import type { EntryLocation } from "../../boundary/walk/walk.ts";

/** On Linux, O_PATH needs no read permission. */
const O_PATH = 0o10000000;
const isLinux = process.platform === "linux";

/** Copies owner, mode, access list and attributes of `like`, or of `old`; never grants more. Returns whether all are equal. */
export async function takeAccess(
  host: BoundaryHost,
  location: EntryLocation,
  old: BigIntStats | undefined,
  fd: number,
  request: Request,
  { like, permissions }: WriteOptions,
): Promise<boolean> {
  const model =
    like === undefined ? { location, stats: old } : inspectTarget(host.walk, { verb: "read", path: like });
  if (model.stats?.isFile() !== true) {
    if (old === undefined && permissions !== undefined) await setMode(fd, permissions & 0o777);
    return true;
  }
  const seen = isLinux ? openFile(model.location, model.stats, O_PATH, request) : undefined;
  const stats = seen?.stats ?? model.stats;
  try {
    const comparison = seen === undefined ? "same" : await copyAttributes(seen.fd, fd);
    const mode = old === undefined && permissions !== undefined ? permissions & 0o777 : Number(stats.mode);
    return grantAccess(fd, stats, mode, comparison);
  } finally {
    if (seen !== undefined) closeSync(seen.fd);
  }
}

/** With an access list, the group bits are its mask, and would grant more. */
async function setMode(fd: number, mode: number): Promise<void> {
  const hasList = isLinux && (await compareAttributes(fd)) === "different";
  fchmodSync(fd, hasList ? mode & ~0o070 : mode);
}

/** Also returns true if the answer is unknown. */
export async function hasAccessList(
  location: EntryLocation,
  seen: BigIntStats,
  request: Request,
): Promise<boolean> {
  if (!isLinux) return false;
  const { fd } = openFile(location, seen, O_PATH, request);
  try {
    const comparison = await compareAttributes(fd);
    return comparison === undefined || comparison === "different";
  } finally {
    closeSync(fd);
  }
}
