import type { ModuleGuard } from "@haft/config/internal/trust";
import { getErrorMessage } from "@haft/core";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { PluginProblem } from "../describe/describe-plugin.ts";
import { areUnchanged } from "../describe/file-stamps.ts";
import { pluginLoaderError } from "../errors.ts";
import {
  createPinGuard,
  findPackageFolder,
  type PinnedFiles,
  pinFiles,
  explainChangedFiles,
} from "../packages/pinned-files.ts";
import { readDependency, readInstalledVersion } from "../packages/read-dependency.ts";
import type { PinnedPackage, PluginRecord } from "./plugin-record.ts";
import { resolvePlugin } from "./resolve-plugin.ts";

export function findChangedPackages(record: PluginRecord): string[] {
  // Older records do not contain pinned files.
  const changed = record.packages === undefined ? Object.keys(record.files) : changedFiles(record);
  const folders = changed.flatMap((file) => findPackageFolder(file) ?? []);
  const others = (record.packages ?? []).filter((one) => explainChangedFiles(one) !== undefined);
  const all = new Set([...folders, ...others.map(({ folder }) => folder)]);
  return [...all].filter((one) => ![...all].some((other) => one.startsWith(`${other}/`)));
}

/**
 * Pins all files of its package, its dependencies, and the files that its trial loaded.
 *
 * @throws HaftError `PACKAGE_INSTALL_FAILED` if they cannot be read, `PLUGIN_CHANGED` if they change during the read
 */
export async function pinPlugin<Tried extends PluginRecord>(
  tried: Tried,
  pinned: PinnedPackage,
): Promise<Tried & { pinned: PinnedPackage; packages: PinnedFiles[] }> {
  const { use, from, files } = tried;
  let packages: PinnedFiles[];
  try {
    packages = pinFiles(use, from, Object.keys(files));
  } catch (thrown) {
    throw pluginLoaderError(
      "PACKAGE_INSTALL_FAILED",
      `The files of ${use} cannot be pinned: ${getErrorMessage(thrown)}`,
      {
        fix: "Repair the installation, or install another version.",
        cause: thrown,
      },
    );
  }
  const record = { ...tried, pinned, packages };
  // The pinned manifest names its module.
  const found = await resolvePlugin(tried, [getPinGuard(record)!]);
  if (!("file" in found) || found.file !== tried.file)
    throw pluginLoaderError("PLUGIN_CHANGED", `${use} was changed while it was pinned.`, {
      fix: installAnew(record, pinned.version),
    });
  return record;
}

/**
 * Returns the guard of the pinned files of a plugin, or `undefined` for a plugin that is not pinned.
 *
 * @example
 * ```ts
 * import { getPinGuard, type PluginRecord } from "@haft/plugin-loader/internal/plugins";
 * declare const record: PluginRecord;
 * const guards = [getPinGuard(record)].filter((guard) => guard !== undefined);
 * ```
 */
export function getPinGuard(record: PluginRecord): ModuleGuard | undefined {
  const { pinned, packages, files } = record;
  if (pinned === undefined || packages === undefined) return undefined;
  return createPinGuard(record, files, packages, installAnew(record, pinned.version));
}

function changedFiles({ files }: Pick<PluginRecord, "files">): string[] {
  return Object.entries(files).flatMap(([file, stamp]) => (areUnchanged({ [file]: stamp }) ? [] : [file]));
}

/** The installed files differ. An uninstalled plugin counts as missing. */
export function findPinProblem(record: PluginRecord): PluginProblem | undefined {
  const { use, from, pinned, file, files, packages, plugin } = record;
  if (pinned === undefined || plugin === undefined || file === undefined || !existsSync(file))
    return undefined;
  const changed = changedFiles({ files });
  const unlike =
    packages === undefined
      ? "not all of its files were"
      : changed.length === 0 && packages.map(explainChangedFiles).find((why) => why !== undefined);
  if (changed.length === 0 && typeof unlike !== "string") return undefined;
  const now = readInstalledVersion(from, use);
  const { version } = pinned;
  const original = originalOf(record, version);
  const other = now !== undefined && now !== version;
  const differs = other
    ? `version ${now} is installed`
    : changed.length === 0
      ? unlike
      : changed.length === 1
        ? `${changed[0]} has changed`
        : `${changed.length} of its files have changed, ${changed[0]} first`;
  return {
    code: "PLUGIN_CHANGED",
    message: `${use} was pinned as ${version}, and ${differs}. It is withheld and does not run.`,
    fix: other
      ? `haft plugins add ${use}@${now} pins the present version; haft plugins add ${original} restores the pinned version.`
      : installAnew(record, version),
  };
}

function installAnew(record: PluginRecord, version: string): string {
  return `haft plugins add ${originalOf(record, version)} installs it again. If you did not change its files, another person or program did.`;
}

function originalOf({ use, from }: PluginRecord, version: string): string {
  const archive = /^(?:file:)?(.*\.tgz)$/.exec(readDependency(from, use)?.specifier ?? "")?.[1];
  return archive === undefined ? `${use}@${version}` : resolve(from, archive);
}
