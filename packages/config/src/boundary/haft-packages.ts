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
  /** Where resolving finds it: a folder, or a link to one. */
  entry: string;
  isLink: boolean;
  real: string;
}

/** As Node resolves a bare name: in each `node_modules` from the folder upwards. */
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

/** Packages that import those below them, and are imported by none. */
const TOP_PACKAGES = ["haft", "@haft/host", "@haft/guard", "@haft/inspector"];

/**
 * Returns the real folders of the packages of Haft from which all others are found: the one around a file, and those on top
 * that are installed beside it.
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

const OWN_FILE = fileURLToPath(import.meta.url);

/**
 * Returns the real folder of the package `haft` that runs here: the one around this code (in a bundle), the one of the program
 * that was started, or the one that is installed beside this package. `undefined` where a host embeds `@haft/host` alone.
 */
export function findHaftFolder(): string | undefined {
  for (const file of [OWN_FILE, process.argv[1]]) {
    const real = file === undefined ? undefined : getRealPath(file);
    const folder = real === undefined ? undefined : findPackageAround(real);
    if (folder !== undefined && readManifest(folder).name === "haft") return folder;
  }
  return findInstalled("haft", dirname(OWN_FILE)).found?.real;
}

/**
 * Resolves a name as the package `haft` does, which depends on all others, and else as this package does.
 *
 * @param resolve gets the URL of the importer
 */
export function resolveBesideHaft<Result>(resolve: (importer: string) => Result): Result {
  const haft = findHaftFolder();
  if (haft !== undefined) {
    try {
      return resolve(pathToFileURL(join(haft, "package.json")).href);
    } catch {
      // This package may know it.
    }
  }
  return resolve(import.meta.url);
}
