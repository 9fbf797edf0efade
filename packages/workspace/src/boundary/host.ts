import type { DenyList } from "./deny.ts";
import type { Guards } from "./guards.ts";
import type { MountTable } from "./mounts.ts";
import type { Folders } from "./walk/folders.ts";
import type { Walk } from "./walk/walk.ts";

export type HardLinkPolicy = "packages" | "refuse" | "allow";

/** Permits reads. */
export interface ReadBoundary {
  walk: Walk;
  folders: Folders;
  table: MountTable;
  deny: DenyList;
  hardLinks: HardLinkPolicy;
  home: string;
}

export interface BoundaryHost extends ReadBoundary {
  guards: Guards;
  maxReadBytes: number;
}
