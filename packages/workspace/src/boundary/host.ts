import type { DenyList } from "./deny.ts";
import type { Guards } from "./guards.ts";
import type { MountTable } from "./mounts.ts";
import type { Walk } from "./walk/walk.ts";

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
