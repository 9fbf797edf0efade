import { existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { configFolder } from "./config-folder.ts";

export const TEXT_CONFIGURATION_NAMES = ["haft.config.yaml", "haft.config.json"];
export const CODE_CONFIGURATION_NAMES = ["haft.config.ts", "haft.config.js"];

/** Where a machine's administrator puts rules for everybody. */
export const MACHINE_FILE = "/etc/haft/policy.yaml";

export function toUserConfigurationPath(name: string): string {
  return join(configFolder(), name);
}

export function getUserConfigurationPaths(): string[] {
  const folder = configFolder();
  return [...TEXT_CONFIGURATION_NAMES, ...CODE_CONFIGURATION_NAMES].map((name) => join(folder, name));
}

/** Where those of such a workspace are looked for, whether or not there is one. Real paths, the nearest first. */
export function getWorkspaceConfigurationPaths(workspaceDir: string): string[] {
  return listRepositoryAncestors(workspaceDir).flatMap((folder) =>
    [...TEXT_CONFIGURATION_NAMES, ...CODE_CONFIGURATION_NAMES].map((name) => join(folder, name)),
  );
}

/** Where the administrator's rules are: `HAFT_ADMIN_POLICY` (empty: none), else the usual place, where it exists. Empty: none. */
export function getMachinePolicyPath(): string {
  return process.env["HAFT_ADMIN_POLICY"] ?? (existsSync(MACHINE_FILE) ? MACHINE_FILE : "");
}

/**
 * The workspace, and the folders above it as far as the root of its repository, of several one inside the other that of the
 * outermost: a session can make a `.git` where it works, and must not hide what stands above. Without a repository the
 * workspace alone.
 */
export function listRepositoryAncestors(workspaceDir: string): string[] {
  let start: string;
  try {
    start = realpathSync.native(workspaceDir);
  } catch {
    // Who opens it says what is wrong with it.
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
