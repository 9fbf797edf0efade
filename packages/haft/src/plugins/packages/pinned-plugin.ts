import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { areUnchanged } from "../file-stamps.ts";
import type { PluginProblem } from "../plugin-problem.ts";
import type { PluginRecord } from "../plugin-record.ts";
import { dependencyOf, installedVersion } from "./pinned.ts";

/** Folders of packages, in which files of a plugin are others than when it was tried. */
export function changedPackages(record: PluginRecord): string[] {
  const folders = changedFiles(record).flatMap((file) => packageFolderIn(file) ?? []);
  return [...new Set(folders)];
}

function packageFolderIn(file: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

/** Files of a plugin that are others than when it was tried, or gone. */
function changedFiles({ files }: Pick<PluginRecord, "files">): string[] {
  return Object.entries(files).flatMap(([file, stamp]) => (areUnchanged({ [file]: stamp }) ? [] : [file]));
}

/**
 * Why a plugin that was pinned is not loaded, nor tried: what is installed is not what was pinned. One that is not there at all
 * is no longer changed, but missing.
 */
export function whyWithheld(record: PluginRecord): PluginProblem | undefined {
  const { use, from, pinned, file, files, plugin } = record;
  if (pinned === undefined || plugin === undefined || file === undefined || !existsSync(file))
    return undefined;
  const changed = changedFiles({ files });
  if (changed.length === 0) return undefined;
  const now = installedVersion(from, use);
  const { version } = pinned;
  const original = originalOf(record, version);
  const other = now !== undefined && now !== version;
  const differs = other
    ? `version ${now} is installed`
    : changed.length === 1
      ? `${changed[0]} has changed`
      : `${changed.length} of its files have changed, ${changed[0]} first`;
  return {
    code: "PLUGIN_CHANGED",
    message: `${use} was pinned as ${version}, and ${differs}. It is withheld, and none of it runs.`,
    fix: other
      ? `haft plugins add ${use}@${now} pins what is there now; haft plugins add ${original} brings back what was pinned.`
      : `haft plugins add ${original} installs it anew. Somebody changed it by hand, if you did not.`,
  };
}

/** As it was added: by its version, or by the copy of what was packed. */
function originalOf({ use, from }: PluginRecord, version: string): string {
  const archive = /^(?:file:)?(.*\.tgz)$/.exec(dependencyOf(from, use)?.wanted ?? "")?.[1];
  return archive === undefined ? `${use}@${version}` : resolve(from, archive);
}
