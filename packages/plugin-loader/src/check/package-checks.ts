import type { CheckResult } from "@haft/plugin-sdk/testing";
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { PluginRecord } from "../load/plugin-record.ts";
import { readPackageJson } from "../packages/read-dependency.ts";

const SDK = "@haft/plugin-sdk";
const KEYWORD = "haft-plugin";

type Manifest = Readonly<Record<string, unknown>>;

/**
 * Checks entry point, dependency on the SDK and keywords in the `package.json`. Returns no result for a plugin outside of a package, and
 * for a private package.
 *
 * @example
 * ```ts
 * import { checkPackage, tryPlugin } from "@haft/plugin-loader/internal/check";
 * const record = await tryPlugin({ use: "./src/index.ts", from: process.cwd(), source: "my program" });
 * const problems = checkPackage(record).filter(({ status }) => status === "problem");
 * ```
 */
export function checkPackage({ file, files }: Pick<PluginRecord, "file" | "files">): CheckResult[] {
  const folder = file && checkedPackageFolder(file);
  const manifest = folder && readPackageJson(folder);
  if (!file || !folder || !manifest || manifest["name"] === undefined || manifest["private"] === true)
    return [];
  const results: CheckResult[] = [];
  const add = (status: "warning" | "problem", message: string, fix: string) =>
    results.push({ check: "package", status, where: "package.json", message, fix });
  checkEntry(relative(folder, file), manifest, folder, add);
  const usesSdk = Object.keys(files).some((used) => new RegExp(`/node_modules/${SDK}/`).test(used));
  const declares = ["dependencies", "peerDependencies"].some((key) =>
    Object.hasOwn(Object(manifest[key]) as object, SDK),
  );
  if (usesSdk && !declares)
    add(
      "warning",
      `it uses ${SDK}, but does not declare the dependency.`,
      `Add it to peerDependencies, so that it is the host's own copy: { "${SDK}": "…" }.`,
    );
  const { keywords } = manifest;
  if (!Array.isArray(keywords) || !keywords.includes(KEYWORD))
    add("warning", "nobody finds it by its keywords.", `Add "${KEYWORD}" to keywords.`);
  for (const key of ["version", "description", "license"])
    if (typeof manifest[key] !== "string") add("warning", `it has no ${key}.`, `Add ${key}.`);
  if (results.length === 0)
    results.push({ check: "package", status: "ok", message: "package.json says what others need." });
  return results;
}

export function checkedPackageFolder(file: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

function checkEntry(
  entry: string,
  { files }: Manifest,
  folder: string,
  add: (status: "warning" | "problem", message: string, fix: string) => void,
): void {
  if (/\.[cm]?ts$/.test(entry))
    add(
      "problem",
      `${entry} is TypeScript, which Node does not run in node_modules, so haft plugins add fails.`,
      "Publish JavaScript: build it, and name the built file in exports.",
    );
  if (!Array.isArray(files)) {
    if (!existsSync(join(folder, ".npmignore")))
      add("warning", "everything in its folder is published.", 'Name what is needed in files: ["dist"].');
    return;
  }
  const isIn = files.some((each) => {
    const name = String(each)
      .replace(/^\.?\//, "")
      .replace(/\/?(?:\*\*?(?:\/.*)?)?$/, "");
    return name === "" || entry === name || entry.startsWith(`${name}/`) || /[*?{[]/.test(name);
  });
  if (!isIn)
    add("problem", `${entry} is not among the files that are published.`, "Add it, or its folder, to files.");
}

/**
 * Checks that a plugin loads only one copy of the SDK. Values of one copy may be unknown to another.
 *
 * @example
 * ```ts run
 * import { checkCopies } from "@haft/plugin-loader/internal/check";
 * checkCopies({ files: {} }).map(({ status }) => status); // => ["ok"]
 * ```
 */
export function checkCopies({ files }: Pick<PluginRecord, "files">): CheckResult[] {
  const folders = new Map<string, Set<string>>();
  for (const used of Object.keys(files)) {
    const [folder, name] = /^.*\/node_modules\/(@haft\/(?:plugin-sdk|core))(?=\/)/.exec(used) ?? [];
    if (folder !== undefined) folders.set(name!, new Set([...(folders.get(name!) ?? []), folder]));
  }
  const several = [...folders].filter(([, all]) => all.size > 1);
  if (several.length === 0) return [{ check: "sdk", status: "ok", message: "It uses one copy of the SDK." }];
  return several.map(([name, all]) => ({
    check: "sdk",
    status: "problem",
    message: `It loads ${all.size} copies of ${name}: ${[...all].join(", ")}.`,
    fix: "Ask for one version everywhere (npm ls @haft/core shows who wants which), and have it in peerDependencies.",
  }));
}
