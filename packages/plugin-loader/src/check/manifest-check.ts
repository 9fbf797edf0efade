import type { CheckResult } from "@haft/plugin-sdk/testing";
import { dirname } from "node:path";
import type { PluginRecord } from "../load/plugin-record.ts";
import { compareManifest } from "../manifest/compare-manifest.ts";
import { MANIFEST_FILE, toManifest } from "../manifest/manifest.ts";
import { findManifestFile, readManifestFile } from "../manifest/read-manifest.ts";
import { readPackageJson } from "../packages/read-dependency.ts";
import { checkedPackageFolder } from "./package-checks.ts";

const FIX = "Generate it again: haft plugins check --fix, or haft plugins manifest.";

/**
 * Checks that the manifest of a tried plugin exists, can be read, and matches the code. Returns no result for a plugin outside of a
 * package.
 *
 * @example
 * ```ts
 * import { checkManifest, tryPlugin } from "@haft/plugin-loader/internal/check";
 * const record = await tryPlugin({ use: "./src/index.ts", from: process.cwd(), source: "my program" });
 * for (const { status, message } of checkManifest(record)) console.log(status, message);
 * ```
 */
export function checkManifest({ file, plugin }: Pick<PluginRecord, "file" | "plugin">): CheckResult[] {
  if (file === undefined || plugin === undefined || checkedPackageFolder(file) === undefined) return [];
  const found = findManifestFile(file);
  const where = MANIFEST_FILE;
  const stated = found === undefined ? undefined : readManifestFile(found);
  if (found === undefined || stated === undefined)
    return [
      {
        check: "manifest",
        status: "warning",
        where,
        message: "it is missing, so hosts run the code to list the tools.",
        fix: "Make it: haft plugins check --fix, or haft plugins manifest.",
      },
    ];
  if ("problem" in stated)
    return [{ check: "manifest", status: "problem", where, message: `it ${stated.problem}.`, fix: FIX }];
  const { untrue, outdated } = compareManifest(
    stated.manifest,
    toManifest(plugin, readPackageJson(dirname(found))),
  );
  const results: CheckResult[] = [
    ...untrue.map((message): CheckResult => ({
      check: "manifest",
      status: "problem",
      where,
      message: `${message}.`,
      fix: FIX,
    })),
    ...outdated.map((message): CheckResult => ({
      check: "manifest",
      status: "warning",
      where,
      message: `${message}.`,
      fix: FIX,
    })),
  ];
  return results.length > 0
    ? results
    : [{ check: "manifest", status: "ok", where, message: "what the code is." }];
}
