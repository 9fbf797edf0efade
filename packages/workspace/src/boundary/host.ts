import type { DenyList } from "./deny.ts";
import type { Guards } from "./guards.ts";
import type { MountTable } from "./mounts.ts";
import type { Walk } from "./walk/walk.ts";

/**
 * Defines how reads treat files with several names (hard links). Anybody who may write in the workspace can give a file from elsewhere a
 * name in it, and no property distinguishes the names.
 *
 * - `packages`: rejects such files, except files in `node_modules` or `site-packages` that every user of the host may read. Credentials are
 *   never readable for every user.
 * - `refuse`: always rejects such files.
 * - `allow`: reads such files like any other file.
 *
 * Writes create a new file. Every mode rejects an append in place.
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
