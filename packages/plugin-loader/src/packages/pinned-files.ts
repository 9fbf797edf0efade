import {
  findInstalledPackage,
  readPackage,
  ModuleGuard,
  type TrustedPackage,
} from "@haft/config/internal/trust";
import { createHash } from "node:crypto";
import { type BigIntStats, existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { FileStamp } from "../describe/file-stamps.ts";

export interface PinnedFiles extends TrustedPackage {
  /** Hashes file names and times: while it is unchanged, no content is read. */
  seen: string;
  unread: readonly string[];
}

export function findPackageFolder(file: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

/**
 * Includes its dependencies, and the files that its trial loaded.
 *
 * @param use as the configuration names it
 * @param from folder with its `node_modules`
 * @param loaded real paths of files
 */
export function pinFiles(use: string, from: string, loaded: Iterable<string>): PinnedFiles[] {
  const pinned = new Map<string, PinnedFiles>();
  const waiting: string[] = [];
  const want = (name: string, base: string): void => {
    const folder = findInstalledPackage(name, base);
    if (folder !== undefined) waiting.push(folder);
  };
  want(/^(?:@[^/]+\/)?[^/]+/.exec(use)?.[0] ?? use, join(from, "package.json"));
  for (const file of loaded) {
    const folder = findPackageFolder(file);
    if (folder !== undefined) waiting.push(folder);
  }
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (pinned.has(folder) || !existsSync(join(folder, "package.json"))) continue;
    const stamp = readStamp(folder);
    const { needs, lock: _lock, ...one } = readPackage(folder);
    pinned.set(folder, { ...one, ...stamp });
    for (const name of needs) want(name, join(folder, "package.json"));
  }
  return [...pinned.values()];
}

/** The end of a sentence; `undefined` if the files are equal. */
export function explainChangedFiles({ folder, name, digest, seen, unread }: PinnedFiles): string | undefined {
  try {
    const now = readStamp(folder);
    const added = now.unread.find((each) => !unread.includes(each));
    if (added !== undefined) return `${join(folder, added)} was added`;
    const removed = unread.find((each) => !now.unread.includes(each));
    if (removed !== undefined) return `${join(folder, removed)} is gone`;
    if (now.seen === seen || readPackage(folder).digest === digest) return undefined;
    return `files of the package ${name} in ${folder} have changed`;
  } catch {
    return `the package ${name} in ${folder} cannot be read`;
  }
}

export function createPinGuard(
  { use, from }: { use: string; from: string },
  files: Readonly<Record<string, FileStamp>>,
  packages: readonly PinnedFiles[],
  fix: string,
): ModuleGuard {
  const hashes = Object.fromEntries(Object.entries(files).map(([path, { hash }]) => [path, hash]));
  const record = { path: from, files: hashes, packages, pinned: { use, fix } };
  const key = `${from}\0${use}`;
  const known = guards.get(key) ?? new ModuleGuard(record);
  // Modules with an earlier guard belong to this plugin.
  known.renew(record);
  guards.set(key, known);
  return known;
}

const guards = new Map<string, ModuleGuard>();

function readStamp(folder: string): Pick<PinnedFiles, "seen" | "unread"> {
  const hash = createHash("sha256");
  const unread: string[] = [];
  const walk = (below: string): void => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true }).toSorted(byName)) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && entry.name === "node_modules") unread.push(...packagesIn(folder, path));
      else if (entry.isDirectory()) {
        if (entry.name !== ".git") walk(path);
      } else if (entry.isSymbolicLink()) unread.push(path);
      else hash.update(`${path}\0${stampOf(lstatSync(join(folder, path), { bigint: true }))}\n`);
    }
  };
  walk("");
  return { seen: hash.digest("hex"), unread };
}

function packagesIn(folder: string, below: string): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .toSorted(byName)
    .flatMap(({ name }) => {
      const path = `${below}/${name}`;
      if (name.startsWith(".")) return [];
      return name.startsWith("@")
        ? readdirSync(join(folder, path))
            .toSorted()
            .map((each) => `${path}/${each}`)
        : [path];
    });
}

function byName(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : 1;
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}
