import { readRegularFile } from "@haft/system";
import { sha256 } from "@haft/utils";
import { type BigIntStats, lstatSync, statSync } from "node:fs";

const LARGEST = 1024 ** 3;

export interface FileStamp {
  seen: string;
  hash: string;
}

export function readStamps(files: Iterable<string>): Record<string, FileStamp> {
  const stamps: Record<string, FileStamp> = {};
  for (const file of files) {
    const seen = readStamp(file);
    const hash = seen === undefined ? undefined : hashFile(file);
    if (seen !== undefined && hash !== undefined) stamps[file] = { seen, hash };
  }
  return stamps;
}

/** @param looks cache of this start, because plugins share packages */
export function areUnchanged(
  files: Readonly<Record<string, FileStamp>>,
  looks: Map<string, string | undefined> = new Map(),
): boolean {
  return Object.entries(files).every(([file, { seen, hash }]) => {
    if (!looks.has(file)) looks.set(file, readStamp(file));
    const now = looks.get(file);
    if (now === seen) return true;
    // Package managers and editors may rewrite the same content.
    return now !== undefined && hashFile(file) === hash;
  });
}

function readStamp(file: string): string | undefined {
  let stats: BigIntStats | undefined;
  try {
    stats = statSync(file, { bigint: true });
  } catch {
    return undefined;
  }
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  return stats.isFile() ? [dev, ino, size, mtimeNs, ctimeNs].join(":") : undefined;
}

/**
 * Returns the SHA-256 of a file in hex, or `undefined` if it cannot be read.
 *
 * @example
 * ```ts run
 * import { hashFile } from "@haft/plugin-loader/internal/plugins";
 * hashFile("no-such-file"); // => undefined
 * ```
 */
export function hashFile(file: string): string | undefined {
  try {
    return sha256(readRegularFile(file, { maxBytes: LARGEST, followLink: true }));
  } catch {
    return undefined;
  }
}

export function areAllMissing(paths: readonly string[]): boolean {
  return paths.every((path) => lstatSync(path, { throwIfNoEntry: false }) === undefined);
}
