import type { DenyList } from "./deny.ts";
import type { Guards } from "./guards.ts";
import type { MountTable } from "./mounts.ts";
import type { Walk } from "./walk/walk.ts";

/**
 * What to do with files that have several names (hard links). Anybody who may write in the workspace can give a file from
 * elsewhere a name in it, and no property distinguishes the names.
 *
 * - `packages`: such files are refused, except files in `node_modules` or `site-packages` that everybody on the host may
 *   read, because package managers link those from their stores. Credentials are never readable for everybody.
 * - `refuse`: such files are always refused.
 * - `allow`: such files are read like any other file.
 *
 * The policy concerns reads: a write makes a new file and leaves the other names unchanged, and an append in place is refused
 * in every mode.
 */
export type HardLinkPolicy = "packages" | "refuse" | "allow";

export interface BoundaryHost {
  walk: Walk;
  table: MountTable;
  deny: DenyList;
  guards: Guards;
  hardLinks: HardLinkPolicy;
  maxReadBytes: number;
  home: string;
}
