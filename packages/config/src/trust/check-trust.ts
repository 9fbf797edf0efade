import { sha256 } from "@haft/utils";
import { realpathSync } from "node:fs";
import { resolveRealPath } from "../boundary/real-path.ts";
import { readPackageManifest, readCovered, readPackage } from "./covered-package.ts";
import { integrityInLockfile } from "./lockfile.ts";
import type { TrustRecord } from "./trust-record.ts";

/**
 * Explains why trusted content has changed, as the end of a sentence; `undefined` if it has not.
 *
 * @param thorough compares every file of the packages now instead of on load
 */
export function explainEndedTrust(record: TrustRecord, thorough = false): string | undefined {
  for (const [path, hash] of Object.entries(record.files)) {
    const why = whyChanged(path, hash);
    if (why !== undefined) return why;
  }
  for (const [path, real] of Object.entries(record.places)) {
    const now = resolveRealPath(path);
    if (now !== real) return `${path} leads to ${now} now, and led to ${real}`;
  }
  for (const one of record.packages) {
    const why = whyOther(one, thorough);
    if (why !== undefined) return why;
  }
  return undefined;
}

function whyChanged(path: string, hash: string): string | undefined {
  try {
    if (realpathSync(path) !== path) return `${path} leads elsewhere now`;
    return sha256(readCovered(path)) === hash ? undefined : `${path} changed`;
  } catch {
    return `${path} cannot be read any more`;
  }
}

function whyOther(
  { folder, name, version, digest, lock }: TrustRecord["packages"][number],
  thorough: boolean,
): string | undefined {
  try {
    const now = readPackageManifest(folder);
    if (now.name !== name || now.version !== version)
      return `the package ${name} ${version} in ${folder} is ${now.name} ${now.version} now`;
    const locked = integrityInLockfile(folder, name, version);
    if (locked?.integrity !== lock?.integrity)
      return `${(locked ?? lock)!.file} has another integrity of ${name} ${version} now`;
    return thorough && readPackage(folder).digest !== digest
      ? `files of the package ${name} in ${folder} changed`
      : undefined;
  } catch {
    return `the package ${name} in ${folder} cannot be read any more`;
  }
}
