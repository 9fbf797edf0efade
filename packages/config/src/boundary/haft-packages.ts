import { readRegularFile } from "@haft/system";
import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { getRealPath } from "./real-path.ts";

export interface Manifest {
  name?: string;
  type?: string;
  exports?: unknown;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

export function readManifest(folder: string): Manifest {
  try {
    return JSON.parse(
      readRegularFile(join(folder, "package.json"), { followLink: true }).toString("utf8"),
    ) as Manifest;
  } catch {
    return {};
  }
}

export function isHaft({ name = "" }: Manifest): boolean {
  return name === "haft" || name.startsWith("@haft/");
}

export interface Found {
  /** Node resolves the package there. */
  entry: string;
  isLink: boolean;
  real: string;
}

/** Searches each `node_modules` from the folder upwards, like Node. */
export function findInstalled(name: string, from: string): { found?: Found; missing: string[] } {
  const missing: string[] = [];
  for (let folder = from; ; folder = dirname(folder)) {
    if (basename(folder) !== "node_modules") {
      const entry = join(folder, "node_modules", name);
      const stats = lstatSync(entry, { throwIfNoEntry: false });
      const real = stats === undefined ? undefined : getRealPath(entry);
      if (real !== undefined) {
        return { found: { entry, isLink: real !== entry && stats!.isSymbolicLink(), real }, missing };
      }
      missing.push(entry);
    }
    if (dirname(folder) === folder) return { missing };
  }
}

function findPackageAround(file: string): string | undefined {
  for (let folder = dirname(file); dirname(folder) !== folder; folder = dirname(folder)) {
    if (isHaft(readManifest(folder))) return getRealPath(folder);
  }
  return undefined;
}

const TOP_PACKAGES = ["haft", "@haft/host", "@haft/guard", "@haft/inspector"];

/**
 * Returns the real folders of the packages of Haft from which all others are found: the package around a file, and the top packages in the
 * same `node_modules`.
 *
 * @param file absolute path of a file of a package
 */
export function findTopPackages(file: string): string[] {
  const around = findPackageAround(file);
  if (around === undefined) return [];
  return [
    ...new Set([around, ...TOP_PACKAGES.flatMap((name) => findInstalled(name, around).found?.real ?? [])]),
  ];
}

const THIS_FILE = fileURLToPath(import.meta.url);

/**
 * Returns the real folder of the running package `haft`: around this code (in a bundle), around the started program, or next to this
 * package. `undefined` if a host embeds only `@haft/host`.
 */
export function findHaftFolder(): string | undefined {
  for (const file of [THIS_FILE, process.argv[1]]) {
    const real = file === undefined ? undefined : getRealPath(file);
    const folder = real === undefined ? undefined : findPackageAround(real);
    if (folder !== undefined && readManifest(folder).name === "haft") return folder;
  }
  return findInstalled("haft", dirname(THIS_FILE)).found?.real;
}

/**
 * `haft` depends on all other packages.
 *
 * @param resolve gets the URL of the importer
 */
export function resolveBesideHaft<Result>(resolve: (importer: string) => Result): Result {
  const haft = findHaftFolder();
  if (haft !== undefined) {
    try {
      return resolve(pathToFileURL(join(haft, "package.json")).href);
    } catch {
      // This package may resolve it.
    }
  }
  return resolve(import.meta.url);
}
