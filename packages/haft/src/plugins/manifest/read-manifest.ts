import { messageOf } from "@haft/core";
import { checkValue } from "@haft/core/internal";
import { formatPath } from "@haft/policy";
import { readRegularFile } from "@haft/workspace/internal/regular-file";
import { systemReason } from "@haft/workspace/internal/system";
import { statSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { MANIFEST_SCHEMA } from "./manifest-schema.ts";
import { MANIFEST_FILE, type Manifest } from "./manifest.ts";

/** Bytes. */
const LARGEST = 1024 * 1024;

/** A manifest that is there, or what is wrong with it: the end of a sentence. */
export type FoundManifest = { file: string } & ({ manifest: Manifest } | { problem: string });

/** Where the manifest of the package of this module is, or would be; `undefined` for one of no package. */
export function manifestFileOf(module: string): string | undefined {
  const about = findPackageJSON(pathToFileURL(module));
  return about === undefined ? undefined : join(dirname(about), MANIFEST_FILE);
}

/** Reads one; `undefined` where there is none. Runs nothing, and never throws. */
export function readManifestFile(file: string): FoundManifest | undefined {
  let text: string;
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (!found.isFile()) return { file, problem: "is no file" };
    if (found.size > LARGEST) return { file, problem: `has more than ${LARGEST} bytes` };
    text = readRegularFile(file, { largest: LARGEST, followLink: true }).toString("utf8");
  } catch (thrown) {
    return { file, problem: `cannot be read: ${systemReason(thrown)}` };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    return { file, problem: `is no JSON: ${messageOf(thrown)}` };
  }
  const [issue] = checkValue(MANIFEST_SCHEMA, value, 1);
  if (issue === undefined) return { file, manifest: value as Manifest };
  const { kind, path, expected, received, known } = issue;
  const what =
    kind === "missing"
      ? `has no ${formatPath(path)}`
      : kind === "unknown"
        ? `has ${formatPath(path)}, which nobody reads; there are ${known.join(", ")}`
        : `has ${received} for ${formatPath(path) || "all of it"}, and expected is ${expected}`;
  return { file, problem: what };
}
