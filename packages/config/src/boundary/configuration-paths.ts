import { existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { configFolder } from "./config-folder.ts";

export const TEXT_CONFIGURATION_NAMES = ["haft.config.yaml", "haft.config.json"];
export const CODE_CONFIGURATION_NAMES = ["haft.config.ts", "haft.config.js"];

export const MACHINE_FILE = "/etc/haft/policy.yaml";

export function toUserConfigurationPath(name: string): string {
  return join(configFolder(), name);
}

export function getUserConfigurationPaths(): string[] {
  const folder = configFolder();
  return [...TEXT_CONFIGURATION_NAMES, ...CODE_CONFIGURATION_NAMES].map((name) => join(folder, name));
}

/** Returns real paths, the nearest first. The files may be missing. */
export function getWorkspaceConfigurationPaths(workspaceDir: string): string[] {
  return listRepositoryAncestors(workspaceDir).flatMap((folder) =>
    [...TEXT_CONFIGURATION_NAMES, ...CODE_CONFIGURATION_NAMES].map((name) => join(folder, name)),
  );
}

/** Returns `HAFT_ADMIN_POLICY`, else {@link MACHINE_FILE} if it exists. Empty: no policy. */
export function getMachinePolicyPath(): string {
  return process.env["HAFT_ADMIN_POLICY"] ?? (existsSync(MACHINE_FILE) ? MACHINE_FILE : "");
}

/**
 * Returns the workspace and the folders above it up to the root of the outermost repository: a `.git` that a session created must not hide
 * files above. Without a repository, it returns only the workspace.
 */
export function listRepositoryAncestors(workspaceDir: string): string[] {
  let start: string;
  try {
    start = realpathSync.native(workspaceDir);
  } catch {
    return [];
  }
  const folders: string[] = [];
  let within = 1;
  for (let folder = start; ; folder = dirname(folder)) {
    folders.push(folder);
    if (lstatSync(join(folder, ".git"), { throwIfNoEntry: false })) within = folders.length;
    if (dirname(folder) === folder) return folders.slice(0, within);
  }
}
