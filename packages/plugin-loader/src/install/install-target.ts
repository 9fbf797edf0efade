import {
  configFolder,
  CODE_CONFIGURATION_NAMES,
  TEXT_CONFIGURATION_NAMES,
} from "@haft/config/internal/boundary";
import { readPathVariable, isCode } from "@haft/config/internal/document";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pluginLoaderError } from "../errors.ts";
import { listAncestorFolders, fileExists } from "../packages/package-managers.ts";

/**
 * Describes a configuration whose plugins are edited.
 *
 * @example
 * ```ts
 * import { findInstallTarget, type InstallTarget } from "@haft/plugin-loader/internal/check";
 * const target: InstallTarget = findInstallTarget({ project: true, named: undefined, workspaceDir: process.cwd() });
 * if (target.kind === "code") console.log(`Edit ${target.file} yourself.`);
 * ```
 */
export interface InstallTarget {
  /** Names its source. */
  as: "--config" | "HAFT_CONFIG" | "user" | "project";
  /** Absolute path. */
  file: string;
  /** States who can edit it: programs and people can edit `text`, only people `code`. */
  kind: "text" | "code";
  /** Absolute path of the folder of its packages. */
  folder: string;
}

const NAMES = [...TEXT_CONFIGURATION_NAMES, ...CODE_CONFIGURATION_NAMES];

/**
 * Returns the configuration whose plugins are edited: the named file, else with `project` the file of the project around `workspaceDir`,
 * else `HAFT_CONFIG`, else the user's file. It may be missing.
 *
 * @throws HaftError `CONFIG_INVALID`, `PATH_RELATIVE`
 * @example
 * ```ts
 * import { findInstallTarget } from "@haft/plugin-loader/internal/check";
 * const { file, folder } = findInstallTarget({ project: false, named: undefined, workspaceDir: process.cwd() });
 * ```
 */
export function findInstallTarget({
  project,
  named,
  workspaceDir,
}: {
  project: boolean;
  named: string | undefined;
  workspaceDir: string;
}): InstallTarget {
  if (named !== undefined) return toTarget(resolve(named), "--config");
  if (project) return findProjectTarget(realpathSync(workspaceDir));
  const variable = readPathVariable("HAFT_CONFIG");
  if (variable !== undefined) return toTarget(variable, "HAFT_CONFIG");
  return toTarget(configurationIn(configFolder()) ?? join(configFolder(), NAMES[0]!), "user");
}

function findProjectTarget(folder: string): InstallTarget {
  const folders = listAncestorFolders(folder);
  for (const at of folders) {
    const file = configurationIn(at);
    if (file !== undefined) return toTarget(file, "project");
  }
  const at = folders.find((each) => existsSync(join(each, "package.json"))) ?? folder;
  return toTarget(join(at, NAMES[0]!), "project");
}

function configurationIn(folder: string): string | undefined {
  const [first, second] = NAMES.map((name) => join(folder, name)).filter(fileExists);
  if (second === undefined) return first;
  throw pluginLoaderError(
    "CONFIG_INVALID",
    `${first} and ${second} are both there, and a plugin is added to one of them.`,
    { fix: "Put both into one file, or name one with --config." },
  );
}

function toTarget(file: string, as: InstallTarget["as"]): InstallTarget {
  return { as, file, kind: isCode(file) ? "code" : "text", folder: dirname(file) };
}
