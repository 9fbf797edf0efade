import { readRegularFile } from "@haft/system";
import { dirname } from "node:path";
import type { ProtectedPaths } from "../decide/protected-paths.ts";
import { allSettings } from "../settings/all-settings.ts";
import { MODULE_HEADER } from "../settings/modules/module-text.ts";

const MAX_BYTES = 4 * 1024 * 1024;

/** Returns settings with the guard: of the user, and of projects in these folders and above. */
export function findGuardSettings(
  folders: readonly string[],
  { home, env }: Pick<ProtectedPaths, "home" | "env">,
): string[] {
  const projects = new Set<string | undefined>([undefined, ...folders.flatMap(withParents)]);
  const files = [...projects].flatMap((project) =>
    [...allSettings.values()].map((settings) =>
      settings.file({ home, env, ...(project === undefined ? {} : { project }) }),
    ),
  );
  return [...new Set(files)].filter(hasGuard);
}

function withParents(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}

function hasGuard(path: string): boolean {
  try {
    const text = readRegularFile(path, { maxBytes: MAX_BYTES, followLink: true }).toString("utf8");
    return text.includes("guard-hook") || text.startsWith(MODULE_HEADER);
  } catch {
    return false;
  }
}
