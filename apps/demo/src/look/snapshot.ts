import { hash } from "node:crypto";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

/** Everything below a folder: relative path to what is there, as one short text. */
export type Snapshot = ReadonlyMap<string, string>;

/** Files by the SHA-256 of their bytes, links by their target; permissions count. */
export async function takeSnapshot(folder: string): Promise<Snapshot> {
  const entries = new Map<string, string>();
  for (const path of (await readdir(folder, { recursive: true })).toSorted()) {
    const full = join(folder, path);
    const stat = await lstat(full);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) entries.set(path, `link to ${await readlink(full)}`);
    else if (stat.isFile()) entries.set(path, `${hash("sha256", await readFile(full))} ${mode}`);
    else entries.set(path, `${stat.isDirectory() ? "folder" : "special"} ${mode}`);
  }
  return entries;
}

export interface Difference {
  path: string;
  before: string | undefined;
  after: string | undefined;
}

export function differences(before: Snapshot, after: Snapshot): Difference[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return paths.flatMap((path): Difference[] => {
    if (before.get(path) === after.get(path)) return [];
    return [{ path, before: before.get(path), after: after.get(path) }];
  });
}

/** `src/a.js 1a2b3c4 → 5d6e7f8`, `b.md new 9a8b7c6`. */
export function describeDifference({ path, before, after }: Difference): string {
  if (after === undefined) return `${path} is gone`;
  return before === undefined ? `${path} new ${short(after)}` : `${path} ${short(before)} → ${short(after)}`;
}

/** The first seven digits of a hash, or what else is there. */
function short(entry: string): string {
  return entry.replace(/^([0-9a-f]{7})[0-9a-f]{57} .*$/, "$1");
}
