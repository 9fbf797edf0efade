import { attempt } from "@haft/system";
import { type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { containmentError } from "../../errors.ts";

const WRITE = 0o2;
const ENTER = 0o1;

/**
 * Returns, if this process runs as root, the folders in which contained commands have fewer permissions than root, as sentences: commands
 * in a view have no capabilities, so the mode of a folder of another user applies to them. For other users the list is empty.
 *
 * @param folders Absolute real paths of folders in which commands write.
 * @example
 * ```ts
 * import { rootRights } from "@haft/sandbox/view";
 * for (const sentence of rootRights([process.cwd()])) console.warn(sentence);
 * ```
 */
export function rootRights(folders: readonly string[]): string[] {
  return folders.flatMap((folder) => {
    const closed = closedAbove(folder);
    if (closed !== undefined) return [`Commands cannot enter ${folder}: ${whose(closed)}. ${fixOf(closed)}`];
    const stats = attempt(() => statSync(folder));
    if (stats === undefined || grants(stats, WRITE)) return [];
    const folderStats = { path: folder, stats };
    return [`Commands cannot create files in ${folder}: ${whose(folderStats)}. ${fixOf(folderStats)}`];
  });
}

/** @throws HaftError `CONTAINMENT_UNAVAILABLE` for a folder that commands could not enter */
export function requireEntry(folders: readonly string[]): void {
  for (const folder of folders) {
    const closed = closedAbove(folder);
    if (closed !== undefined)
      throw containmentError(
        "SANDBOX_UNAVAILABLE",
        `they cannot enter ${folder}: ${whose(closed)}`,
        fixOf(closed),
      );
  }
}

interface FolderStats {
  path: string;
  stats: Stats;
}

function closedAbove(folder: string): FolderStats | undefined {
  for (let path = folder; ; path = dirname(path)) {
    const stats = attempt(() => statSync(path));
    if (stats !== undefined && !grants(stats, ENTER)) return { path, stats };
    if (path === dirname(path)) return undefined;
  }
}

/** Access lists rarely name root. */
function grants({ uid, gid, mode }: Stats, right: number): boolean {
  if (process.getuid?.() !== 0) return true;
  const isOfGroup = gid === process.getgid?.() || process.getgroups?.().includes(gid) === true;
  const shift = uid === 0 ? 6 : isOfGroup ? 3 : 0;
  return ((mode >> shift) & right) === right;
}

function whose({ path, stats: { uid, mode } }: FolderStats): string {
  const rights = (mode & 0o777).toString(8).padStart(4, "0");
  return `${path} belongs to user ${uid} with mode ${rights}, and commands of root have no rights in a view beyond that mode`;
}

function fixOf({ stats: { uid } }: FolderStats): string {
  return uid === 0
    ? "Give its owner the missing right with chmod."
    : `Start Haft as its owner, for example with sudo -u '#${uid}'.`;
}
