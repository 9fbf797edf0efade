import type { FileStat } from "@haft/core";
import type { BigIntStats, Dirent } from "node:fs";

export function toFileStat(stats: BigIntStats): FileStat {
  return {
    type: getFileType(stats),
    size: Number(stats.size),
    mode: Number(stats.mode) & 0o7777,
    mtimeMs: Number(stats.mtimeNs) / 1e6,
    version: getFileVersion(stats),
    links: Number(stats.nlink),
  };
}

export function getFileVersion(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}

export function getFileType(entry: BigIntStats | Dirent): FileStat["type"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "symlink" : "other";
}

export function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}
