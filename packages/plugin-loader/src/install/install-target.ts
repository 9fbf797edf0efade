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

export interface InstallTarget {
  as: "--config" | "HAFT_CONFIG" | "user" | "project";
  file: string;
  /** Text can be edited, code only by people. */
  kind: "text" | "code";
  folder: string;
}

const NAMES = [...TEXT_CONFIGURATION_NAMES, ...CODE_CONFIGURATION_NAMES];

/**
 * The configuration whose plugins are meant: that of the project around `workspaceDir`, else the one that is believed, as
 * {@link "../../config/find-configuration.ts"} finds it.
 *
 * @throws HaftError `CONFIG_INVALID`, `PATH_RELATIVE`
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
  if (named !== undefined) return placeOf(resolve(named), "--config");
  if (project) return projectPlace(realpathSync(workspaceDir));
  const variable = readPathVariable("HAFT_CONFIG");
  if (variable !== undefined) return placeOf(variable, "HAFT_CONFIG");
  return placeOf(configurationIn(configFolder()) ?? join(configFolder(), NAMES[0]!), "user");
}

function projectPlace(folder: string): InstallTarget {
  const folders = listAncestorFolders(folder);
  for (const at of folders) {
    const file = configurationIn(at);
    if (file !== undefined) return placeOf(file, "project");
  }
  const at = folders.find((each) => existsSync(join(each, "package.json"))) ?? folder;
  return placeOf(join(at, NAMES[0]!), "project");
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

function placeOf(file: string, as: InstallTarget["as"]): InstallTarget {
  return { as, file, kind: isCode(file) ? "code" : "text", folder: dirname(file) };
}
