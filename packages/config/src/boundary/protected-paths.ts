import type { HaftError } from "@haft/core";
import type { SandboxSpec, ProtectedPath, SandboxMount } from "@haft/sandbox";
import { removeNestedPaths } from "@haft/system";
import { PROJECT_SETTINGS } from "@haft/workspace";
import { createDenyList, expandHome, START_FILES } from "@haft/workspace/internal/boundary";
import { lstatSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { configError } from "../errors.ts";
import { containsPath } from "./haft-code.ts";
import { findHostCode } from "./host-code.ts";
import { getRealPath } from "./real-path.ts";

export interface GuardedPaths {
  startFiles?: readonly string[] | undefined;
  projectSettings?: readonly string[] | undefined;
  code?: readonly string[] | false | undefined;
  homeDir?: string | undefined;
}

const MAX_FOLDERS = 300;
const NOT_LOOKED_INTO = new Set(["node_modules", ".git"]);

/**
 * Returns the paths that are mounted read-only inside writable mounts: code that the host will load, start files of the user, settings that
 * start programs. Only existing paths can be mounted. Folders above the first two are mounted onto themselves, so that they cannot be
 * moved.
 *
 * @throws HaftError `SANDBOX_MOUNT_REFUSED` if a mount would not help
 */
export function findProtectedPaths(
  { workspace, mounts }: Pick<SandboxSpec, "workspace" | "mounts">,
  guarded: GuardedPaths,
): ProtectedPath[] {
  const open = mounts.filter(({ name, access }) => access === "rw" && (name !== "" || workspace === "rw"));
  return open.flatMap((mount) => heldIn(mount, guarded));
}

function heldIn(
  mount: SandboxMount,
  { startFiles, projectSettings, code, homeDir }: GuardedPaths,
): ProtectedPath[] {
  const root = mount.hostPath;
  const hostCode = findHostCode(code ?? [], [root]);
  const user = startFilesOf(startFiles ?? START_FILES, homeDir ?? homedir());
  const fixed = removeNestedPaths(
    [...hostCode.protectedPaths, ...user].filter(
      (path) => containsPath(root, path) || containsPath(path, root),
    ),
  );
  const around = fixed.find((path) => containsPath(path, root));
  if (around !== undefined)
    throw refused(root, `it is part of ${around}, which is not for commands to change`);
  const [loose] = hostCode.unmountableNames.filter((path) => containsPath(root, path));
  if (loose !== undefined) throw refused(root, `${loose} could be made there, and Haft would load it`);
  const settings = settingsOf(root, projectSettings ?? PROJECT_SETTINGS).filter(
    (path) => !fixed.some((folder) => containsPath(folder, path)),
  );
  const pinned = new Set(fixed.flatMap((path) => between(root, path)));
  return [
    ...[...pinned].map((path) => heldAt(mount, path, "rw")),
    ...[...fixed, ...settings].map((path) => heldAt(mount, path, "ro")),
  ]
    .filter((one) => one !== undefined)
    .toSorted((one, other) => one.hostPath.split("/").length - other.hostPath.split("/").length);
}

/** Resolved now: a later replacement is not mounted. */
function heldAt(
  mount: SandboxMount,
  path: string,
  access: ProtectedPath["access"],
): ProtectedPath | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined || !(stats.isDirectory() || stats.isFile())) return undefined;
  const inside = mount.path + path.slice(mount.hostPath.length);
  return { hostPath: path, path: inside, access, identity: `${stats.dev}:${stats.ino}` };
}

function startFilesOf(patterns: readonly string[], home: string): string[] {
  return expandHome(patterns, getRealPath(home) ?? home).flatMap((path) => getRealPath(path) ?? []);
}

/** Returns the existing settings at the top and in nearby folders, with links resolved. */
function settingsOf(root: string, patterns: readonly string[]): string[] {
  const list = createDenyList(patterns, { root, home: root, rootNames: true });
  if (list.denies(root)) throw refused(root, "it is a folder of settings that start programs", OF_SETTINGS);
  const found: string[] = [];
  const waiting = [root];
  for (let looked = 0; looked < MAX_FOLDERS && waiting.length > 0; looked++) {
    const folder = waiting.shift()!;
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (list.denies(path)) {
        const real = getRealPath(path);
        if (real !== undefined && real !== root && containsPath(root, real)) found.push(real);
      } else if (entry.isDirectory() && !NOT_LOOKED_INTO.has(entry.name)) waiting.push(path);
    }
  }
  return removeNestedPaths(found);
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function between(root: string, path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== root && containsPath(root, folder); folder = dirname(folder))
    folders.push(folder);
  return folders;
}

const OF_CODE =
  "Give it with access ro (to contained commands: containment read-only), or run Haft from an installation outside of the folders that sessions work in.";
const OF_SETTINGS =
  "Give it with access ro (to contained commands: containment read-only), or the project around it, or set boundary.projectSettings.";

function refused(path: string, why: string, fix = OF_CODE): HaftError {
  return configError(
    "SANDBOX_MOUNT_REFUSED",
    `${path} is not given to sandboxed or contained commands for writing: ${why}.`,
    {
      fix,
      details: { path },
    },
  );
}
