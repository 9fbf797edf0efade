import { closeSync, constants, linkSync, lstatSync, openSync, renameSync, unlinkSync } from "node:fs";
import { getErrno } from "../boundary/failures.ts";
import { isSameFile } from "../boundary/walk/file-stat.ts";

/** Errors of file systems without hard links, and of kernels that protect other users' files from links. */
const NO_HARD_LINKS = new Set(["EPERM", "EOPNOTSUPP", "ENOTSUP", "ENOSYS", "EMLINK"]);

/** Uses a second link, because a rename overwrites. Returns whether the file kept its identity; sshfs changes it. */
export function moveExclusively(from: string, to: string): boolean {
  const before = lstatSync(from, { bigint: true });
  try {
    linkSync(from, to);
  } catch (thrown) {
    if (!NO_HARD_LINKS.has(getErrno(thrown) ?? "")) throw thrown;
    moveOntoPlaceholder(from, to);
    return true;
  }
  // Another process may have put a newer file there.
  const left = lstatSync(from, { bigint: true, throwIfNoEntry: false });
  const isSame = left === undefined || isSameFile(left, lstatSync(to, { bigint: true }));
  if (
    left !== undefined &&
    (isSame || (isSameFile(left, before) && left.size === before.size && left.mtimeNs === before.mtimeNs))
  )
    removeOrTakeBack(from, to);
  return isSame;
}

/** Leaves only the first name if the system does not remove it. */
function removeOrTakeBack(from: string, to: string): void {
  try {
    unlinkSync(from);
  } catch (thrown) {
    if (getErrno(thrown) === "ENOENT") return;
    unlinkSync(to);
    throw thrown;
  }
}

function moveOntoPlaceholder(from: string, to: string): void {
  closeSync(openSync(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW));
  try {
    renameSync(from, to);
  } catch (thrown) {
    unlinkSync(to);
    throw thrown;
  }
}
