import type { Plugin } from "@haft/core";
import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { realOf } from "./real-path.ts";

/**
 * What hosts may load of plugins later: all of a package that was installed, and else the module alone, since the folder
 * around it is a project that people work on.
 */
export function pluginCode(plugins: readonly Plugin[]): string[] {
  return plugins.flatMap((plugin) => {
    const source = sourceOf(plugin);
    if (source === undefined) return [];
    const file = realOf(source) ?? source;
    return [installedPackage(file) ?? file];
  });
}

/** A plugin that cannot be read costs nobody else's tools: the registry leaves it out and says why. */
function sourceOf(plugin: Plugin | undefined): string | undefined {
  try {
    const source: unknown = plugin?.source;
    return typeof source === "string" ? source : undefined;
  } catch {
    return undefined;
  }
}

function installedPackage(file: string): string | undefined {
  for (let folder = dirname(file); folder.includes(`${sep}node_modules${sep}`); folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
  }
  return undefined;
}
