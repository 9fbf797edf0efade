import { readRegularFile } from "@haft/system";
import { sha256 } from "@haft/utils";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { integrityInLockfile } from "./lockfile.ts";
import type { TrustedPackage } from "./trust-record.ts";

/** Bytes. */
const LARGEST = 256 * 1024 * 1024;

/** Limits one separately trusted file, in bytes. */
const LARGEST_COVERED = 4 * 1024 * 1024;

/** @throws like `readRegularFile`, also for a link and for a file that is too large */
export function readCovered(path: string): Buffer {
  return readRegularFile(path, { maxBytes: LARGEST_COVERED });
}

/** Other packages, and the repository. */
const EXCLUDED = new Set(["node_modules", ".git"]);

/** A path would cover everything below a folder. */
const PACKAGE = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/;

export function listPackageFiles(folder: string): Map<string, string> {
  const files = new Map<string, string>();
  const walk = (below: string): void => {
    const entries = readdirSync(join(folder, below), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && !EXCLUDED.has(entry.name)) walk(path);
      else if (entry.isFile())
        files.set(path, sha256(readRegularFile(join(folder, path), { maxBytes: LARGEST })));
    }
  };
  walk("");
  return files;
}

export function getPackageDigest(files: ReadonlyMap<string, string>): string {
  return sha256([...files].map(([path, hash]) => `${path}\0${hash}\n`).join(""));
}

/** Also returns possible imports. @throws if the package cannot be read, or changes during the read */
export function readPackage(folder: string): TrustedPackage & { needs: string[] } {
  const bytes = readManifestOf(folder);
  const { name, version, dependencies: needs } = parseManifest(folder, bytes);
  const files = listPackageFiles(folder);
  if (files.get("package.json") !== sha256(bytes))
    throw new Error(`${join(folder, "package.json")} changed while it was read`);
  const lock = integrityInLockfile(folder, name, version);
  return {
    folder,
    name,
    version,
    digest: getPackageDigest(files),
    ...(lock === undefined ? {} : { lock }),
    needs,
  };
}

interface Manifest {
  name: string;
  version: string;
  dependencies: string[];
}

export function readPackageManifest(folder: string): Manifest {
  return parseManifest(folder, readManifestOf(folder));
}

function readManifestOf(folder: string): Buffer {
  return readRegularFile(join(folder, "package.json"));
}

function parseManifest(folder: string, bytes: Buffer): Manifest {
  const found = JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
  const namesIn = (key: string) => Object.keys(found[key] ?? {});
  const textAt = (key: string) => (typeof found[key] === "string" ? found[key] : "");
  return {
    name: textAt("name") || folder,
    version: textAt("version"),
    dependencies: ["dependencies", "optionalDependencies", "peerDependencies"]
      .flatMap(namesIn)
      .filter((each) => PACKAGE.test(each)),
  };
}
