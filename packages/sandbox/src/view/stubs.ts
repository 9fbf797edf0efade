import { attempt } from "@haft/workspace/internal/system";
import { lstatSync, rmdirSync, unlinkSync } from "node:fs";
import type { Wall } from "./walls.ts";

/**
 * Bubblewrap makes an empty file or folder where there is no place for a mount: there was one when we looked, so that takes
 * somebody who removes it in the same moment. What it made then goes again: what is empty, and younger than the look.
 */
export function removeStubs(walls: readonly Wall[], since: number): void {
  for (const { path, kind, identity } of walls) {
    if (kind === "frame") continue;
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined || `${stats.dev}:${stats.ino}` === identity) continue;
    if (Number(stats.birthtimeMs) < since) continue;
    if (stats.isDirectory()) attempt(() => rmdirSync(path));
    else if (stats.isFile() && stats.size === 0n && (stats.mode & 0o777n) === 0o444n)
      attempt(() => unlinkSync(path));
  }
}
