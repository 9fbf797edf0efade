import { type BigIntStats, fchmodSync, fchownSync, fstatSync } from "node:fs";
import { runnerErrno } from "../runner-error.ts";
import type { Comparison } from "./compare-attributes.ts";

/**
 * Gives an empty file the owner and mode of the file that it replaces. If the system does not permit that, it gets fewer permissions, never
 * more.
 *
 * @param fd The new file, open for writing.
 * @param model The `fstat` of the replaced file.
 * @param mode The new mode, without set-user-id and set-group-id.
 * @param comparison The access lists of the two files, from `copyAttributes`.
 * @returns whether owner and access list are the same now
 * @example
 * ```ts
 * import { fstatSync, openSync } from "node:fs";
 * import { grantAccess } from "@haft/system";
 * const model = fstatSync(openSync("notes.md", "r"), { bigint: true });
 * const isAlike = grantAccess(openSync("notes.md.new", "wx"), model, Number(model.mode), "same");
 * ```
 */
export function grantAccess(
  fd: number,
  model: BigIntStats,
  mode: number,
  comparison: Comparison | undefined,
): boolean {
  const owner = takeOwner(fd, model);
  // Set-user-id and set-group-id were granted to the old contents.
  isAllowed(() => fchmodSync(fd, mode & 0o1777 & grantedBy(mode, comparison, owner)));
  return owner === "both" && comparison === "same";
}

const OWNER = 0o1700;
const OTHERS = 0o007;

/**
 * Bits of a mode that grant no more than the model. With an access list, the group bits are its mask, not the group's rights. A list can
 * also deny the rights of all others.
 */
function grantedBy(mode: number, comparison: Comparison | undefined, owner: KeptOwner): number {
  if (comparison === "different") return OWNER;
  const others = mode & OTHERS;
  return comparison === undefined || owner === "none" ? OWNER | (others << 3) | others : 0o7777;
}

type KeptOwner = "both" | "group" | "none";

function takeOwner(fd: number, { uid, gid }: BigIntStats): KeptOwner {
  const own = fstatSync(fd, { bigint: true });
  if (own.uid === uid && own.gid === gid) return "both";
  // Only root may give a file away; members can keep its group.
  if (isAllowed(() => fchownSync(fd, Number(uid), Number(gid)))) return "both";
  if (own.gid === gid) return "group";
  return isAllowed(() => fchownSync(fd, Number(own.uid), Number(gid))) ? "group" : "none";
}

/** Some file systems have no owners or modes. */
function isAllowed(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (thrown) {
    if (!NOT_ALLOWED.has(runnerErrno(thrown) ?? "")) throw thrown;
    return false;
  }
}

const NOT_ALLOWED = new Set(["EPERM", "EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);
