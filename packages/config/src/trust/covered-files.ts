import { getErrorMessage } from "@haft/core";
import { sha256 } from "@haft/utils";
import { realpathSync, statSync } from "node:fs";
import { findPackageJSON, isBuiltin } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { configError } from "../errors.ts";
import { readCovered, readPackage } from "./covered-package.ts";
import type { TrustedPackage } from "./trust-record.ts";

export interface CoveredFiles {
  files: Map<string, string>;
  packages: TrustedPackage[];
}

/** The author of a workspace must not delay a start. */
const MAX_FILES = 2000;
const MAX_PACKAGES = 1000;

/** Quoted relative paths, whatever their use. */
const PATHS = /(["'`])(\.{1,2}\/[^"'`\n\\$]*)\1/g;
/** Unquoted relative paths in YAML: policy files. */
const WORDS = /(?<![^\s"'[{,:])(\.{1,2}\/[^\s"',\]}#]+)/g;
const NAMES = /(?:\bfrom|\bimport|\brequire(?:\.resolve)?)\s*(?:\(\s*)?(["'`])([^"'`\n\\$]+)\1/g;

/**
 * Finds the modules of a configuration without running code: every quoted text that names a file counts as a module. Surplus files only end
 * trust more often; missed files are refused on load.
 *
 * @param entries absolute paths of the first modules and files
 * @param names first packages, as written in `from`
 * @param compiled modules that the project's `tsx` may compile
 * @throws HaftError `CONFIG_UNTRUSTED` for too many files
 */
export function findCoveredFiles(
  entries: readonly string[],
  names: readonly string[],
  from: string,
  compiled: readonly string[] = [],
): CoveredFiles {
  const files = new Map<string, string>();
  const packages = new Map<string, TrustedPackage>();
  const waiting = entries.map((path) => realpathSync(path));
  const addPackage = (name: string, base: string, named = false): void => {
    const folder = findInstalledPackage(name, base);
    // A package that names itself is the whole project.
    if (folder === undefined || packages.has(folder) || from.startsWith(`${folder}/`)) return;
    if (packages.size >= MAX_PACKAGES) throw tooMany(from, `${MAX_PACKAGES} packages`);
    const { needs, ...one } = attemptAt(from, folder, () => readPackage(folder));
    packages.set(folder, { ...one, ...(named && { named }) });
    for (const each of needs) addPackage(each, join(folder, "package.json"));
  };
  for (const name of names) addPackage(name, from, true);
  for (const path of compiled) addPackage("tsx", path);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path)) continue;
    if (files.size >= MAX_FILES) throw tooMany(from, `${MAX_FILES} files`);
    const bytes = attemptAt(from, path, () => readCovered(path));
    files.set(path, sha256(bytes));
    const text = bytes.toString("utf8");
    if (/\.ya?ml$/.test(path))
      for (const [, written = ""] of text.matchAll(WORDS))
        waiting.push(...filesOf(resolve(dirname(path), written)));
    if (!/\.[cm]?[jt]s$|package\.json$/.test(path)) continue;
    for (const [, , written = ""] of text.matchAll(PATHS))
      waiting.push(...filesOf(resolve(dirname(path), written)));
    if (path.endsWith(".json")) continue;
    for (const [, , name = ""] of text.matchAll(NAMES)) {
      if (name.startsWith("#")) waiting.push(...manifestAround(path));
      else if (isPackageName(name)) addPackage(name, path);
    }
  }
  return { files, packages: [...packages.values()] };
}

/** Packages of Haft are the running packages. */
export const HAFT_PACKAGE_NAME = /^(?:haft|@haft(?:\/[a-z-]+)+)$/;

function isPackageName(name: string): boolean {
  return (
    /^[a-zA-Z0-9@~_]/.test(name) && !name.includes(":") && !isBuiltin(name) && !HAFT_PACKAGE_NAME.test(name)
  );
}

export function findInstalledPackage(name: string, base: string): string | undefined {
  try {
    const manifest = findPackageJSON(name, pathToFileURL(base));
    return manifest === undefined ? undefined : dirname(realpathSync(manifest));
  } catch {
    return undefined;
  }
}

/** It resolves names with `#`. */
function manifestAround(path: string): string[] {
  const manifest = findPackageJSON(pathToFileURL(path));
  return manifest === undefined ? [] : [realpathSync(manifest)];
}

/** Resolves as `import` and as `require` do. */
function filesOf(path: string): string[] {
  const endings = ["", ".js", ".json", ".node", "/index.js", "/index.json"];
  const found = endings.map((ending) => path + ending).find(isFile);
  return found === undefined ? [] : [realpathSync(found)];
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** A text may name any path, including system folders and unreadable files. */
function attemptAt<T>(from: string, path: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const why = getErrorMessage(thrown).replace(/\.$/, "");
    throw configError("CONFIG_UNTRUSTED", `${from} leads to ${path}, which cannot be read: ${why}.`, {
      fix: "Give it to this user, repair it, or take its name out of that text.",
    });
  }
}

function tooMany(path: string, what: string): Error {
  return configError(
    "CONFIG_UNTRUSTED",
    `${path} would cover more than ${what}, which is too much to review.`,
    {
      fix: "Import fewer files; move code of a tool to a package.",
    },
  );
}
