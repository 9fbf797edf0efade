import type { DenyList } from "./deny.ts";
import type { Guards } from "./guards.ts";
import type { MountTable } from "./mounts.ts";
import type { Walk } from "./walk/walk.ts";

/**
 * What to do with files that have several names. Anybody who may write in the workspace can give a file from
 * elsewhere a name in it, and nothing tells the two apart.
 *
 * - `packages`: refused, except for files everybody on the host may read that lie in `node_modules` or
 *   `site-packages`, because package managers link those from their stores. Credentials never are world-readable.
 * - `refuse`: always refused.
 * - `allow`: read like any other file.
 *
 * Only reading is at stake: a write makes a new file and leaves the other names as they are, and
 * appending in place is refused in every mode.
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
