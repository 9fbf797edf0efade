import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Installed {
  name: string;
  /** Disk usage with rounding. */
  bytes: number;
}

/** A file system's minimum size. */
const BLOCK = 4096;

/**
 * Lists a package and its installed dependencies, largest first, without optional packages and users'
 * packages.
 *
 * @throws for a missing dependency
 */
export function listInstalled(name: string, folder: string): Installed[] {
  const found = new Map<string, Installed>();
  const add = (wanted: string, from: string) => {
    const path = placeOf(wanted, from);
    if (found.has(path)) return;
    found.set(path, { name: wanted, bytes: bytesOf(path) });
    const { dependencies = {} } = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as {
      dependencies?: Record<string, string>;
    };
    for (const dependency of Object.keys(dependencies)) add(dependency, path);
  };
  add(name, folder);
  return [...found.values()].toSorted((a, b) => b.bytes - a.bytes);
}

/** Finds a package like Node. */
function placeOf(name: string, from: string): string {
  const path = join(from, "node_modules", name);
  if (existsSync(join(path, "package.json"))) return path;
  if (dirname(from) === from) throw new Error(`${name} is not installed.`);
  return placeOf(name, dirname(from));
}

/** Excludes inner packages. */
function bytesOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return sum + Math.ceil(statSync(path).size / BLOCK) * BLOCK;
    return entry.name === "node_modules" ? sum : sum + bytesOf(path);
  }, BLOCK);
}
