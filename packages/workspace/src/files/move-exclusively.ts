import { closeSync, constants, linkSync, lstatSync, openSync, renameSync, unlinkSync } from "node:fs";
import { errnoOf } from "../boundary/failures.ts";
import { sameFile } from "../boundary/walk/file-stat.ts";

/** What file systems without hard links answer, and kernels that protect other people's files from being linked. */
const NO_HARD_LINKS = new Set(["EPERM", "EOPNOTSUPP", "ENOTSUP", "ENOSYS", "EMLINK"]);

/**
 * Moves a file (or link) to a name that must be free: a rename would overwrite what has just appeared there, a
 * second link never does. Throws the system's `EEXIST` when the name is taken.
 */
export function moveExclusively(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (thrown) {
    if (!NO_HARD_LINKS.has(errnoOf(thrown) ?? "")) throw thrown;
    return moveOntoPlaceholder(from, to);
  }
  // Somebody may have put a newer file under the old name since; that one is theirs.
  const left = lstatSync(from, { bigint: true, throwIfNoEntry: false });
  if (left !== undefined && sameFile(left, lstatSync(to, { bigint: true }))) unlinkSync(from);
}

/** An empty file takes the name first, if it is free, and the rename replaces that one. */
function moveOntoPlaceholder(from: string, to: string): void {
  closeSync(openSync(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW));
  try {
    renameSync(from, to);
  } catch (thrown) {
    unlinkSync(to);
    throw thrown;
  }
}
