import type { WriteResult } from "@haft/core";
import type { WriteOptions } from "@haft/core/internal";
import { attempt, temporaryName } from "@haft/system";
import { type BigIntStats, closeSync, constants, fstatSync, openSync, unlinkSync } from "node:fs";
import { failure, type Request } from "../../boundary/failures.ts";
import { toFileStat } from "../../boundary/walk/file-stat.ts";
import { checkVersion, openFile } from "../../boundary/walk/open-file.ts";
import type { EntryLocation } from "../../boundary/walk/walk.ts";
import { flush } from "../flush.ts";
import { copyAll, overwrite } from "../write-all.ts";

/** Overwrites in place. A backup `….old` remains after a crash. @throws HaftError `HARD_LINKED`, `FILE_CHANGED`: nothing was changed */
export async function overwriteFile(
  location: EntryLocation,
  seen: BigIntStats,
  from: number,
  request: Request,
  { ifMatch, durable, fence }: WriteOptions,
  requireIn: (fd: number) => Promise<void>,
): Promise<WriteResult> {
  const { fd, stats } = openFile(location, seen, constants.O_RDWR, request);
  try {
    if (stats.nlink > 1n) throw failure("HARD_LINKED", request, HARD_LINKED);
    const old = await backUp(location, fd);
    let isBegun = false;
    try {
      checkVersion(fstatSync(fd, { bigint: true }), request, ifMatch);
      if (!location.folder.isCurrent()) throw failure("PATH_CHANGED", request);
      fence?.check();
      isBegun = true;
      await overwrite(fd, from);
      if (durable === true) await flush(fd);
      old.forget();
    } catch (thrown) {
      if (isBegun) await old.putBack();
      old.forget();
      throw thrown;
    } finally {
      old.close();
    }
    await requireIn(fd);
    return { created: false, stat: toFileStat(fstatSync(fd, { bigint: true })), verified: true };
  } finally {
    closeSync(fd);
  }
}

const HARD_LINKED = {
  why: "it has several names (hard links), and a new file would have another owner or access list",
  fix: "Let the owner of the file change it, or copy it to your own file first.",
};

async function backUp({ folder }: EntryLocation, fd: number) {
  const path = folder.entry(temporaryName().replace(/tmp$/, "old"));
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const backup = openSync(path, flags, 0o600);
  try {
    await copyAll(backup, fd, () => {});
  } catch (thrown) {
    closeSync(backup);
    attempt(() => unlinkSync(path));
    throw thrown;
  }
  return {
    putBack: () => overwrite(fd, backup),
    forget: () => attempt(() => unlinkSync(path)),
    close: () => closeSync(backup),
  };
}
